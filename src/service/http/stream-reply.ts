import type { FastifyReply } from 'fastify';
import type { BorrowedChunks } from '../blobs/read-double-buffered.js';
import { ServiceError } from '../service-error.js';

/**
 * Streams a body whose headers, including `content-length`, are already set on `reply`. Reading and sending overlap.
 * Rethrows an error of the first read, when an error reply can still be sent, and removes the headers. A later read error
 * closes the connection, so that the client detects the truncation. Stops reading if the client disconnects.
 */
export async function streamReply(reply: FastifyReply, bytes: BorrowedChunks): Promise<void> {
  const chunks = bytes[Symbol.asyncIterator]();
  let chunk = await chunks.next().catch((error: unknown) => {
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
    throw error;
  });
  reply.hijack();
  const response = reply.raw;
  let abortWrite = (_error: Error): void => undefined;
  response.once('close', () => abortWrite(new Error('connection closed')));
  const write = (data: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      abortWrite = reject; // queued writes get no callback if the connection closes
      response.write(data, (error) => (error ? reject(error) : resolve()));
    });
  try {
    response.statusCode = reply.statusCode;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    while (!chunk.done) {
      const writing = write(chunk.value);
      [chunk] = await Promise.all([chunks.next(), writing]);
    }
    response.end();
  } catch (err) {
    const isReported = err instanceof ServiceError;
    if (!response.closed && !isReported)
      reply.log.error({ err }, 'Could not read the file of a download: connection closed');
    response.destroy();
  } finally {
    await chunks.return?.();
  }
}
