import type { FastifyRequest } from 'fastify';
import type { BorrowedChunks } from '../blobs/read-double-buffered.js';
import { createDisconnectSignal } from './disconnect-signal.js';
import type { FaultPlan } from './fault-plan.js';

const SLICES_PER_SECOND = 10;

async function* throttle(
  bytes: BorrowedChunks,
  bytesPerSecond: number,
  faults: FaultPlan,
  signal: AbortSignal,
): BorrowedChunks {
  const slice = Math.ceil(bytesPerSecond / SLICES_PER_SECOND);
  for await (const chunk of bytes) {
    for (let offset = 0; offset < chunk.length && !signal.aborted; offset += slice) {
      await faults.pause(1000 / SLICES_PER_SECOND, signal);
      yield chunk.subarray(offset, offset + slice);
    }
  }
}

async function* truncateAfter(bytes: BorrowedChunks, afterBytes: number, disconnect: () => void): BorrowedChunks {
  let remaining = afterBytes;
  for await (const chunk of bytes) {
    if (remaining > 0) yield chunk.subarray(0, remaining);
    remaining -= chunk.length;
    if (remaining < 0) break;
  }
  setImmediate(disconnect); // after the bytes were passed to the socket
}

/** Returns the bytes of a download, throttled or truncated by the faults `slow-download` and `cut-download`. */
export function injectDownloadFaults(
  bytes: BorrowedChunks,
  request: FastifyRequest,
  faults: FaultPlan,
): BorrowedChunks {
  const slow = faults.take('slow-download');
  const cut = faults.take('cut-download');
  const throttled = slow ? throttle(bytes, slow.bytesPerSecond, faults, createDisconnectSignal(request)) : bytes;
  return cut ? truncateAfter(throttled, cut.afterBytes, () => request.raw.socket.destroy()) : throttled;
}
