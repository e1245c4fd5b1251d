import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';

// Listens with a backlog of one, prints its port, then blocks its event loop, so that it accepts no connection.
const PROGRAM = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** Runs `test` with the port of a server whose backlog is full: new connections are neither accepted nor refused. */
export async function withSaturatedListener(test: (port: number) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: net.Socket[] = [];
  try {
    const [output] = await once(child.stdout, 'data');
    const port = Number(output);
    // Linux queues one connection more than the backlog.
    for (let i = 0; i < 2; i += 1) {
      const socket = net.connect(port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
    }
    await test(port);
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
