import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Faults } from '../faults/faults.js';
import { ServiceError } from '../service-error.js';
import type { Tokens } from '../store/tokens.js';

/** What the faults of requests and downloads need. */
export interface FaultHookParts {
  /** Default: nothing goes wrong on purpose. */
  faults?: Faults | undefined;
  tokens: Tokens;
  now: () => number;
}

const SLICES_PER_SECOND = 10;

/** Aborted when the client has its reply or went away. */
const endOf = ({ raw }: FastifyRequest): AbortSignal => {
  const ending = new AbortController();
  raw.socket.once('close', () => ending.abort());
  return ending.signal;
};

async function* slowly(bytes: AsyncIterable<Buffer>, bytesPerSecond: number, faults: Faults, signal: AbortSignal) {
  const slice = Math.ceil(bytesPerSecond / SLICES_PER_SECOND);
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length && !signal.aborted; at += slice) {
      await faults.pause(1000 / SLICES_PER_SECOND, signal);
      yield chunk.subarray(at, at + slice);
    }
  }
}

async function* cutAfter(bytes: AsyncIterable<Buffer>, afterBytes: number, cut: () => void) {
  let left = afterBytes;
  for await (const chunk of bytes) {
    if (left > 0) yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left < 0) break;
  }
  setImmediate(cut); // when what was sent is on its way
}

/** Lets requests and downloads go wrong as the faults say. */
export const faultHooks = (app: FastifyInstance, { faults, tokens, now }: FaultHookParts): void => {
  if (!faults) return;

  app.addHook('onRequest', async (request, reply) => {
    const url = request.url.toLowerCase();
    const isMeant = ({ path = '' }: { path?: string }): boolean => url.includes(path.toLowerCase());
    const delay = faults.next('delay', isMeant);
    if (delay) await faults.pause(delay.ms, endOf(request));
    if (faults.next('expire-tokens', isMeant)) await tokens.expireAccess(now());
    const refusal = faults.next('status', isMeant);
    if (!refusal) return;
    if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
    const code = refusal.status === 429 ? 'FAULT_RATE_LIMITED' : 'FAULT_UNAVAILABLE';
    throw new ServiceError(code, 'the fault mode refused this request');
  });

  app.addHook('onSend', async (request, _reply, payload) => {
    if (!(payload instanceof Readable)) return payload;
    const slow = faults.next('slow-download');
    const cut = faults.next('cut-download');
    let bytes: AsyncIterable<Buffer> = payload;
    if (slow) bytes = slowly(bytes, slow.bytesPerSecond, faults, endOf(request));
    if (cut) bytes = cutAfter(bytes, cut.afterBytes, () => request.raw.socket.destroy());
    return slow || cut ? Readable.from(bytes, { objectMode: false }) : payload;
  });
};
