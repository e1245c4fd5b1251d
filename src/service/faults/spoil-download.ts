import type { FastifyRequest } from 'fastify';
import type { BorrowedChunks } from '../blobs/read-lent.js';
import { endOf } from './end-of.js';
import type { Faults } from './faults.js';

const SLICES_PER_SECOND = 10;

async function* slowly(
  bytes: BorrowedChunks,
  bytesPerSecond: number,
  faults: Faults,
  signal: AbortSignal,
): BorrowedChunks {
  const slice = Math.ceil(bytesPerSecond / SLICES_PER_SECOND);
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length && !signal.aborted; at += slice) {
      await faults.pause(1000 / SLICES_PER_SECOND, signal);
      yield chunk.subarray(at, at + slice);
    }
  }
}

async function* cutAfter(bytes: BorrowedChunks, afterBytes: number, cut: () => void): BorrowedChunks {
  let left = afterBytes;
  for await (const chunk of bytes) {
    if (left > 0) yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left < 0) break;
  }
  setImmediate(cut); // when what was sent is on its way
}

/** The bytes of a download, slow or cut where the faults say so. */
export const spoilDownload = (bytes: BorrowedChunks, request: FastifyRequest, faults: Faults): BorrowedChunks => {
  const slow = faults.next('slow-download');
  const cut = faults.next('cut-download');
  const slowed = slow ? slowly(bytes, slow.bytesPerSecond, faults, endOf(request)) : bytes;
  return cut ? cutAfter(slowed, cut.afterBytes, () => request.raw.socket.destroy()) : slowed;
};
