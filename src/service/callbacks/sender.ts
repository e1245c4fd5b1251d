import type { CallbackBody } from '../../api/index.js';
import type { Limits } from '../defaults.js';
import type { Logger } from '../logger.js';
import type { Callbacks, DueCallback } from '../store/callbacks.js';
import type { AddressRule } from './address-rule.js';
import { AddressRefused, type Lookup, postGuarded } from './post-guarded.js';

export interface SenderParts {
  callbacks: Callbacks;
  allows: AddressRule;
  limits: Limits;
  now: () => number;
  logger: Logger;
  lookup?: Lookup | undefined;
}

/** Sends callbacks. */
export interface Sender {
  /** Looks for callbacks that are due: to be called whenever an operation was completed. */
  wake(): void;
  /** Breaks off what is being sent; it is sent again after the next start. */
  close(): Promise<void>;
}

type Outcome = { state: 'delivered' | 'given-up' } | { state: 'due'; nextAt: number };

// setTimeout takes no more than 2^31 ms, and a clock that was set is noticed within this time.
const LONGEST_SLEEP_MS = 60 * 60 * 1000;

const bodyOf = ({ operationId, isSuccessful }: DueCallback): string => {
  const body: CallbackBody = { operationId, isSuccessful: isSuccessful ? 'true' : 'false' };
  return JSON.stringify(body);
};

/**
 * The life of a callback: it is *due* from the completion of its operation on. A try that is answered with 2xx has *delivered* it; 410, an address that
 * the rule refuses, and the last of the planned tries mean that it is *given up*; after any other try it is due again after the next pause.
 * It may arrive twice, where the reply was lost.
 */
export const createSender = ({ callbacks, allows, limits, now, logger, lookup }: SenderParts): Sender => {
  const stopping = new AbortController();
  const sending = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  const send = async (callback: DueCallback): Promise<Outcome> => {
    const log = logger.child({ operationId: callback.operationId, attempt: callback.attempts + 1 });
    try {
      const options = { allows, lookup, signal: stopping.signal, timeoutMs: limits.callbackMs };
      const status = await postGuarded(callback.url, bodyOf(callback), options);
      if (status >= 200 && status < 300) return { state: 'delivered' };
      log.warn({ status }, 'a callback was refused');
      if (status === 410) return { state: 'given-up' };
    } catch (err) {
      log.warn({ err }, 'a callback could not be sent');
      if (err instanceof AddressRefused) return { state: 'given-up' };
    }
    const pause = limits.callbackPausesMs[callback.attempts];
    return pause === undefined ? { state: 'given-up' } : { state: 'due', nextAt: now() + pause };
  };

  const work = async (callback: DueCallback): Promise<void> => {
    const outcome = await send(callback);
    if (stopping.signal.aborted && outcome.state === 'due') return; // broken off, not failed
    await callbacks.settle(callback.operationId, callback.attempts + 1, outcome);
  };

  const startDue = async (): Promise<void> => {
    // Those that are being sent stand first in the list: ask for as many more.
    const next = await callbacks.next(limits.callbacksAtOnce + sending.size);
    const waiting = next.filter(({ operationId }) => !sending.has(operationId));
    for (const callback of waiting) {
      if (stopping.signal.aborted || sending.size >= limits.callbacksAtOnce) return;
      const pause = callback.nextAt - now();
      if (pause > 0) {
        timer = setTimeout(wake, Math.min(pause, LONGEST_SLEEP_MS));
        timer.unref();
        return;
      }
      const one = work(callback)
        .catch((err: unknown) => logger.error({ err }, 'the outcome of a callback could not be noted'))
        .finally(() => {
          sending.delete(callback.operationId);
          wake();
        });
      sending.set(callback.operationId, one);
    }
  };

  let looking: Promise<void> = Promise.resolve();
  const wake = (): void => {
    if (stopping.signal.aborted) return;
    clearTimeout(timer);
    looking = looking.then(startDue).catch((err: unknown) => logger.error({ err }, 'callbacks could not be read'));
  };

  return {
    wake,
    async close() {
      stopping.abort(new Error('the service stops'));
      clearTimeout(timer);
      await looking;
      clearTimeout(timer);
      await Promise.all(sending.values());
    },
  };
};
