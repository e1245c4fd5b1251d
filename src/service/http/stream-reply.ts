import type { FastifyReply } from 'fastify';
import type { BorrowedChunks } from '../blobs/read-double-buffered.js';
import { ServiceError } from '../service-error.js';
import { type ConnectionWriter, createConnectionWriter, DisconnectError } from './connection-writer.js';
import { type Continuation, sendChunks } from './send-chunks.js';

/** Sends chunks. Reads the next one when the system has taken the one before. */
async function sendOneByOne(write: ConnectionWriter, chunks: BorrowedChunks): Promise<void> {
  for await (const chunk of chunks) await write(chunk);
}

/** Reads the first chunk, or rejects like it. Returns all chunks, without a reference to the first one once it was sent. */
async function readFirst(chunks: BorrowedChunks): Promise<BorrowedChunks> {
  const { value } = await chunks.next();
  const first = value ? [value] : [];
  return (async function* () {
    yield* first.splice(0);
    yield* chunks;
  })();
}

/**
 * Streams a body whose headers, including `content-length`, are already set on `reply`. Rethrows an error of the first
 * read, when an error reply can still be sent, and removes the headers. A later read error closes the connection, so
 * that the client detects the truncation. Stops reading if the client disconnects. `continuation`: default: the reader
 * keeps its buffers while the client does not read.
 */
export async function streamReply(
  reply: FastifyReply,
  chunks: BorrowedChunks,
  continuation?: Continuation,
): Promise<void> {
  const body = await readFirst(chunks).catch((error: unknown) => {
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
    throw error;
  });
  reply.hijack();
  const response = reply.raw;
  try {
    response.statusCode = reply.statusCode;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.flushHeaders();
    const write = await createConnectionWriter(reply);
    await (continuation ? sendChunks(write, body, continuation) : sendOneByOne(write, body));
    response.end();
  } catch (err) {
    const isExpected = err instanceof DisconnectError || err instanceof ServiceError; // the latter was recorded
    if (!isExpected) reply.log.error({ err }, 'Could not read the file of a download: connection closed');
    response.destroy();
  } finally {
    await chunks.return();
  }
}
