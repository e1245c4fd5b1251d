import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { BlockBuffers } from '../blobs/block-buffers.js';
import type { BorrowedChunks } from '../blobs/read-double-buffered.js';
import { ServiceError } from '../service-error.js';

// What a client that does not read costs, besides the buffers of the system.
const SLICE_BYTES = 64 * 1024;

// A download that is stalled for longer gives its buffers back. The block is then read again.
const STALL_MS = 50;

/** How a download continues after it gave its buffers back. */
export interface Continuation {
  /** The offsets of the first and of the last byte of the reply. */
  start: number;
  end: number;
  /** Reads from an offset to the end of the reply. */
  readFrom: (offset: number) => BorrowedChunks;
  /** Where the reader has its buffers from. */
  buffers: Pick<BlockBuffers, 'hasWaiting'>;
}

/** Resolves with whether `writing` takes longer than `STALL_MS`, or rejects like it before that. */
function isStalled(writing: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(true), STALL_MS);
    writing.then(
      () => {
        clearTimeout(timer);
        resolve(false);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Thrown because the client closed the connection. */
class DisconnectError extends Error {
  override readonly name = 'DisconnectError';
}

/** Resolves with the connection of a reply. Pipelined replies have none until the one before has ended. */
async function findSocket({ raw }: FastifyReply): Promise<Socket> {
  if (raw.socket) return raw.socket;
  if (raw.destroyed) throw new DisconnectError('The connection was closed.');
  return new Promise((resolve, reject) => {
    raw.once('socket', resolve);
    raw.once('close', () => reject(new DisconnectError('The connection was closed.')));
  });
}

/**
 * Creates the function that writes to the connection of a reply, past the HTTP layer, which would delay each slice to
 * the next tick. It returns nothing if the system has taken all bytes. Otherwise the returned promise resolves then, or
 * rejects with `DisconnectError`.
 */
function createWrite({ raw }: FastifyReply, socket: Socket) {
  let issued = 0;
  let written = 0;
  let resolveAll = (): void => undefined;
  let rejectAll = (_error: Error): void => undefined;
  const onWritten = (error?: Error | null): void => {
    written += 1;
    if (error) rejectAll(new DisconnectError(error.message, { cause: error }));
    else if (written === issued) resolveAll();
  };
  // Queued writes get no callback if the connection closes.
  raw.once('close', () => rejectAll(new DisconnectError('The connection was closed.')));
  return (data: Buffer): Promise<void> | undefined => {
    if (raw.closed || socket.destroyed) throw new DisconnectError('The connection was closed.');
    issued += 1;
    socket.write(data, onWritten);
    if (socket.writableLength === 0) return undefined;
    return new Promise((resolve, reject) => {
      [resolveAll, rejectAll] = [resolve, reject];
    });
  };
}

/**
 * Sends chunks, which are copied in slices: the system gets no reference to a chunk. Reading and sending overlap. If the
 * client does not read, or other downloads wait for buffers, the reader is closed and another one continues.
 */
async function sendChunks(
  reply: FastifyReply,
  first: { chunk: Buffer; chunks: BorrowedChunks },
  continuation: Continuation | undefined,
): Promise<void> {
  const slice = Buffer.allocUnsafeSlow(SLICE_BYTES);
  const write = createWrite(reply, await findSocket(reply));
  /** Sends a chunk, or as much of it as the client reads. `writing`: the last slice, if the client is not reading. */
  const send = async (chunk: Buffer): Promise<{ sent: number; writing?: Promise<void> }> => {
    for (let sent = 0; sent < chunk.length; ) {
      const length = chunk.copy(slice, 0, sent, sent + SLICE_BYTES);
      sent += length;
      const writing = write(length === SLICE_BYTES ? slice : slice.subarray(0, length));
      if (!writing) continue;
      if (!continuation) await writing;
      else if (await isStalled(writing)) return { sent, writing };
    }
    return { sent: chunk.length };
  };

  let { chunks } = first;
  let chunk: Buffer | undefined = first.chunk;
  let offset = continuation?.start ?? 0;
  try {
    while (chunk) {
      const isLast = continuation !== undefined && offset + chunk.length > continuation.end;
      // The reader gives its buffers back after the last chunk, which is then still in use.
      const ahead = isLast ? undefined : chunks.next();
      ahead?.catch(() => undefined); // thrown below, unless it is not needed any more
      const { sent, writing } = await send(chunk);
      offset += sent;
      chunk = undefined;
      if (continuation && (writing || continuation.buffers.hasWaiting)) {
        await chunks.return();
        await writing;
        if (offset > continuation.end) return;
        chunks = continuation.readFrom(offset);
        chunk = (await chunks.next()).value ?? undefined;
      } else {
        chunk = (await ahead)?.value ?? undefined;
      }
    }
  } finally {
    await chunks.return();
  }
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
  const { value: chunk } = await chunks.next().catch((error: unknown) => {
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
    if (chunk) await sendChunks(reply, { chunk, chunks }, continuation);
    response.end();
  } catch (err) {
    const isExpected = err instanceof DisconnectError || err instanceof ServiceError; // the latter was recorded
    if (!isExpected) reply.log.error({ err }, 'Could not read the file of a download: connection closed');
    response.destroy();
  } finally {
    await chunks.return();
  }
}
