import type { CallbackSender } from '../callbacks/callback-sender.js';
import type { Worker } from '../operations/worker.js';

// An idle worker claims a new operation after 250 ms on average. With jitter, many workers do not ask at the same time.
const MIN_INTERVAL_MS = 125;
const MAX_INTERVAL_MS = 375;

// Callbacks of operations that were cancelled, and those that are repeated.
const POLLS_PER_CALLBACK_SCAN = 4;

/**
 * Has a worker and a sender poll for work that other processes have added. A worker also polls at once when an
 * operation leaves its slot. Returns a function that ends this.
 */
export function startPolling(
  worker: Pick<Worker, 'wake' | 'isRetrying'>,
  sender: Pick<CallbackSender, 'wake'>,
): () => void {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const poll = (): void => {
    if (!worker.isRetrying) worker.wake();
    if (count++ % POLLS_PER_CALLBACK_SCAN === 0) sender.wake();
    timer = setTimeout(poll, MIN_INTERVAL_MS + Math.random() * (MAX_INTERVAL_MS - MIN_INTERVAL_MS));
  };
  poll();
  return () => clearTimeout(timer);
}
