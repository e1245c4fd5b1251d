import net from 'node:net';

// Far above what any reply takes: past it the service hangs.
const HANG_MS = 30_000;

/** What came back on a connection that was sent these bytes, until the other side closed it. Rejects where it never does. */
export const sendUntilClosed = (port: number, bytes: Uint8Array): Promise<string> =>
  new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = net.connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      reject(new Error('the service hangs'));
      socket.destroy();
    }, HANG_MS);
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', () => undefined); // it may cut a connection whose request it refused; `close` follows
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(received).toString('utf8'));
    });
    socket.write(bytes);
  });
