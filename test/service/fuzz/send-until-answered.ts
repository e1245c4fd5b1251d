import net from 'node:net';

// Far longer than any reply takes.
const HANG_MS = 30_000;

/** Returns whether a reply has its full Content-Length: the connection may stay open for the next request. */
function isComplete(received: Buffer): boolean {
  const head = received.indexOf('\r\n\r\n');
  const length = /^content-length: *(\d+)/im.exec(received.subarray(0, Math.max(0, head)).toString('latin1'))?.[1];
  return length !== undefined && received.length >= head + 4 + Number(length);
}

/**
 * Sends bytes. Resolves with the reply, or its part if the service closes the connection. Rejects after 30 s without
 * either.
 */
export function sendUntilAnswered(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = net.connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      reject(new Error('No reply from the service within 30 s.'));
      socket.destroy();
    }, HANG_MS);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (isComplete(received)) socket.destroy(); // `close` follows
    });
    socket.on('error', () => undefined); // the service may close the connection of a refused request; `close` follows
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received.toString('utf8'));
    });
    socket.write(bytes);
  });
}
