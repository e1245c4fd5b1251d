import net from 'node:net';

// Far above what any reply takes: past it the service hangs.
const HANG_MS = 30_000;

/** Whether a reply is there in full length: its connection may stay open for the next request. */
function isWhole(received: Buffer): boolean {
  const head = received.indexOf('\r\n\r\n');
  const length = /^content-length: *(\d+)/im.exec(received.subarray(0, Math.max(0, head)).toString('latin1'))?.[1];
  return length !== undefined && received.length >= head + 4 + Number(length);
}

/** The reply to these bytes, or what came of one before the other side closed the connection. Rejects where neither ever happens. */
export function sendUntilAnswered(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = net.connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      reject(new Error('the service hangs'));
      socket.destroy();
    }, HANG_MS);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (isWhole(received)) socket.destroy(); // `close` follows
    });
    socket.on('error', () => undefined); // it may cut a connection whose request it refused; `close` follows
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received.toString('utf8'));
    });
    socket.write(bytes);
  });
}
