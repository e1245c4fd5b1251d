import type { FastifyReply } from 'fastify';
import type { BorrowedChunks } from '../blobs/read-double-buffered.js';

/**
 * Sends a body of which the head is in `reply` already, its `content-length` with it. Reading and sending overlap. Throws what the first
 * reading throws, so that it can still be answered; when a later one fails the connection is cut, since the rest would be missing, and when
 * the client goes away nothing more is read.
 */
export async function streamReply(reply: FastifyReply, bytes: BorrowedChunks): Promise<void> {
  const pieces = bytes[Symbol.asyncIterator]();
  let piece = await pieces.next();
  reply.hijack();
  const response = reply.raw;
  let abortWrite = (_error: Error): void => undefined;
  response.once('close', () => abortWrite(new Error('the connection ended')));
  const write = (chunk: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      abortWrite = reject; // what was queued on a connection that ends is not told so
      response.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  try {
    response.statusCode = reply.statusCode;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    while (!piece.done) {
      const written = write(piece.value);
      [piece] = await Promise.all([pieces.next(), written]);
    }
    response.end();
  } catch (err) {
    if (!response.closed) reply.log.error({ err }, 'a download was cut, since its bytes could not be read');
    response.destroy();
  } finally {
    await pieces.return?.();
  }
}
