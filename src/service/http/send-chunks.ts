import type { BlockBuffers } from '../blobs/block-buffers.js';
import type { BorrowedChunks } from '../blobs/read-double-buffered.js';
import type { ConnectionWriter } from './connection-writer.js';

// What a client that does not read costs, besides the buffers of the system.
const SLICE_BYTES = 64 * 1024;

// A download that is stalled for longer releases its buffers. The block is then read again.
const STALL_MS = 50;

// Clients that have received this much without a stall are sent whole chunks: more than the system buffers for those
// that do not read. Slices take a third longer: the system works more for each, and copying adds to it.
const MIN_STEADY_BYTES = 16 * 1024 * 1024;

/** How a download continues after it released its buffers. */
export interface Continuation {
  /** The offsets of the first and of the last byte of the reply. */
  start: number;
  end: number;
  /** Reads from an offset to the end of the reply. */
  readFrom: (offset: number) => BorrowedChunks;
  /** Where the reader has its buffers from. */
  buffers: Pick<BlockBuffers, 'hasWaiting' | 'isHalfFree'>;
}

/** How much of a chunk was sent. `stalled`: resolves when the client reads again, if it did not. */
interface SendResult {
  sent: number;
  stalled?: Promise<void>;
}

/** Sends a chunk, or a part of it. The system has no reference to the chunk afterwards. */
type ChunkSender = (chunk: Buffer) => Promise<SendResult>;

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

/** Creates a sender without copying, which is not interrupted by a stall. */
function createWholeSender(write: ConnectionWriter): ChunkSender {
  return async (chunk) => {
    const writing = write(chunk);
    if (!writing || !(await isStalled(writing))) return { sent: chunk.length };
    await writing;
    return { sent: chunk.length, stalled: Promise.resolve() };
  };
}

/** Creates a sender of copied slices. After a stall, the last slice is still to be taken by the system. */
function createSliceSender(write: ConnectionWriter): ChunkSender {
  const slice = Buffer.allocUnsafeSlow(SLICE_BYTES);
  return async (chunk) => {
    for (let sent = 0; sent < chunk.length; ) {
      const length = chunk.copy(slice, 0, sent, sent + SLICE_BYTES);
      sent += length;
      const writing = write(length === SLICE_BYTES ? slice : slice.subarray(0, length));
      if (writing && (await isStalled(writing))) return { sent, stalled: writing };
    }
    return { sent: chunk.length };
  };
}

/** How far a download has come. */
interface Progress {
  /** The offset of the next byte. */
  offset: number;
  /** The bytes sent since the client last stalled. */
  steadyBytes: number;
}

/**
 * Sends chunks, while the next one is read, until all are sent, the client does not read, or other downloads wait for
 * buffers. Closes the reader. Returns what to wait for before the rest is sent. Only this function refers to buffers of
 * the reader: they are not kept while its caller waits.
 */
async function sendUntilPause(
  chunks: BorrowedChunks,
  progress: Progress,
  chooseSender: () => ChunkSender,
  { end, buffers }: Pick<Continuation, 'end' | 'buffers'>,
): Promise<Promise<void>[]> {
  try {
    let { value: chunk } = await chunks.next();
    while (chunk) {
      // The reader releases its buffers after the last chunk, which is then still in use.
      const ahead = progress.offset + chunk.length > end ? undefined : chunks.next();
      ahead?.catch(() => undefined); // thrown below, unless it is not needed any more
      const { sent, stalled } = await chooseSender()(chunk);
      progress.offset += sent;
      progress.steadyBytes = stalled !== undefined ? 0 : progress.steadyBytes + sent;
      if (stalled !== undefined) return [stalled];
      if (buffers.hasWaiting) return [];
      chunk = (await ahead)?.value ?? undefined;
    }
    return [];
  } finally {
    await chunks.return();
  }
}

/**
 * Sends chunks, while the next one is read. If the client does not read, or other downloads wait for buffers, the reader
 * is closed and another one continues. Whole chunks are sent only while half of the buffers are free, so that clients
 * which then stop reading leave enough for others. Throws `DisconnectError`, or the error of a read.
 */
export async function sendChunks(
  write: ConnectionWriter,
  first: BorrowedChunks,
  { start, end, readFrom, buffers }: Continuation,
): Promise<void> {
  const sendWhole = createWholeSender(write);
  const sendSlices = createSliceSender(write);
  const progress: Progress = { offset: start, steadyBytes: 0 };
  const chooseSender = (): ChunkSender =>
    progress.steadyBytes >= MIN_STEADY_BYTES && buffers.isHalfFree ? sendWhole : sendSlices;
  let chunks = first;
  for (;;) {
    await Promise.all(await sendUntilPause(chunks, progress, chooseSender, { end, buffers }));
    if (progress.offset > end) return;
    chunks = readFrom(progress.offset);
  }
}
