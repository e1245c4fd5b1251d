import type { Fault } from './fake-replies.js';

/** Creates a fault that sends these bytes verbatim instead of a reply, then closes the connection or leaves it open. */
export function raw(text: string, then: 'end' | 'leave' = 'end'): Fault {
  return (_request, reply) => {
    if (then === 'end') reply.socket?.end(text, 'latin1');
    else reply.socket?.write(text, 'latin1');
  };
}

/** Resets the connection after the head of the request. */
export const reset: Fault = (_request, reply) => {
  reply.socket?.resetAndDestroy();
};

/** Closes the connection with FIN, without a reply. */
export const closeGracefully: Fault = (_request, reply) => {
  reply.socket?.end();
};

/** Closes the connection after the whole request, without a reply. */
export const dropAfterRequest: Fault = async (request, reply) => {
  await readAll(request);
  reply.destroy();
};

/** Handles the request as usual, and closes the connection instead of sending the reply. */
export const loseReply: Fault = (_request, reply) => {
  reply.writeHead = () => reply.destroy();
  return false;
};

/** Handles the request as usual, and resets the connection when the next request arrives on it. */
export const resetWhenReused: Fault = (request, reply) => {
  const { socket } = request;
  reply.once('finish', () => socket.once('data', () => socket.resetAndDestroy()));
  return false;
};

/** Sends one byte of the reply every 5 ms, without an end. */
export const drip: Fault = (_request, reply) => {
  reply.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => reply.write(' '), 5);
  reply.once('close', () => clearInterval(timer));
};

/** Creates a fault that sends an endless reply as fast as possible. `onSent` receives the size of each chunk. */
export function flood(onSent: (byteCount: number) => void): Fault {
  const chunk = Buffer.alloc(1 << 16, ' ');
  return (_request, reply) => {
    reply.writeHead(200, { 'Content-Type': 'application/json' });
    const write = () => {
      while (!reply.destroyed) {
        onSent(chunk.length);
        if (!reply.write(chunk)) break;
      }
    };
    reply.on('drain', write);
    write();
  };
}

/**
 * Creates a fault that sends an error reply before it reads the body. Discards the rest of the body, like servers that
 * want the client to receive the reply (RFC 9112, section 9.6).
 */
export function refuseEarly(status: number, message: string): Fault {
  return (request) => {
    const body = JSON.stringify({ errors: [{ code: status * 100, message }] });
    request.resume();
    request.socket.end(
      `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  };
}

async function readAll(request: Parameters<Fault>[0]): Promise<void> {
  for await (const _chunk of request);
}
