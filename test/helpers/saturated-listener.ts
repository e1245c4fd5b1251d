import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';

// Listens with a backlog of one, says its port, and then takes no connection any more.
const PROGRAM = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** Runs the test with the port of a server whose backlog is full: a further connection is neither taken nor refused. */
export async function withSaturatedListener(test: (port: number) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: net.Socket[] = [];
  try {
    const [said] = await once(child.stdout, 'data');
    const port = Number(said);
    // Linux takes one more than the backlog.
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
