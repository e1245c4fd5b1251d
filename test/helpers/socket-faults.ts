import type { Fault } from './fake-service.js';

/** These bytes in place of a reply, as they stand; then the connection is ended, or left open. */
export function raw(text: string, then: 'end' | 'leave' = 'end'): Fault {
  return (_request, reply) => {
    if (then === 'end') reply.socket?.end(text, 'latin1');
    else reply.socket?.write(text, 'latin1');
  };
}

/** The connection is reset, as soon as the head of the request is there. */
export const reset: Fault = (_request, reply) => {
  reply.socket?.resetAndDestroy();
};

/** The connection is ended politely (FIN), with no byte of a reply. */
export const closeGracefully: Fault = (_request, reply) => {
  reply.socket?.end();
};

/** The whole request is read, and then the connection breaks off. */
export const cutAfterRequest: Fault = async (request, reply) => {
  await readAll(request);
  reply.destroy();
};

/** The next request on the same connection finds it dead. */
export const cutWhenReused: Fault = (request, reply) => {
  const { socket } = request;
  reply.once('finish', () => socket.once('data', () => socket.resetAndDestroy()));
  return false;
};

/** A byte of the reply every few ms, for ever. */
export const drip: Fault = (_request, reply) => {
  reply.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => reply.write(' '), 5);
  reply.once('close', () => clearInterval(timer));
};

/** A reply that never ends, as fast as it is taken; `sent` is told of its bytes. */
export function flood(sent: (byteCount: number) => void): Fault {
  const piece = Buffer.alloc(1 << 16, ' ');
  return (_request, reply) => {
    reply.writeHead(200, { 'Content-Type': 'application/json' });
    const write = () => {
      while (!reply.destroyed) {
        sent(piece.length);
        if (!reply.write(piece)) break;
      }
    };
    reply.on('drain', write);
    write();
  };
}

/** A refusal before the body is read. What still comes is taken in and forgotten, as servers do that want to be heard. */
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
