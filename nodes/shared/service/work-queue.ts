import { delay } from '../delay.js';
import { createNodeError } from '../node/flow-error.js';

/** `transfer` moves the bytes of a file; `call` is any other request. Waiting for an operation is not queued. */
export type WorkKind = 'transfer' | 'call';

/** The limits of a `WorkQueue`. */
export interface WorkLimits {
  /** Maximum number of concurrent work items. */
  concurrency: number;
  /** Maximum number of transfers among them. */
  transfers: number;
  /** Maximum number of queued work items; more are rejected with `QUEUE_FULL`. */
  maxQueued: number;
}

/**
 * Lets other work run for `ms`, then waits for another turn. Rejects with the reason of an abort of either signal, its
 * own or that of the work.
 */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

interface QueueEntry {
  kind: WorkKind;
  start: () => void;
}

/**
 * Runs the work of one config node with limited concurrency, first come, first served. Calls overtake transfers that
 * wait for other transfers.
 */
export class WorkQueue {
  readonly #limits: WorkLimits;
  readonly #queue = new Set<QueueEntry>();
  readonly #active: Record<WorkKind, number> = { transfer: 0, call: 0 };

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` when its turn comes, and returns its result. An abort of queued or pausing work rejects at once with the
   * reason of the signal; running work has to observe the signal itself. Throws `QUEUE_FULL`.
   */
  async run<T>(kind: WorkKind, signal: AbortSignal, work: (pause: Pause) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    this.#assertRoom(kind);
    await this.#waitForTurn(kind, signal);
    let isActive: boolean = true;
    const leave = () => {
      if (!isActive) return;
      isActive = false;
      this.#active[kind] -= 1;
      this.#startNext();
    };
    const pause: Pause = async (ms, pauseSignal) => {
      leave();
      const either = AbortSignal.any([signal, pauseSignal]);
      await delay(ms, either);
      either.throwIfAborted();
      await this.#waitForTurn(kind, either);
      isActive = true;
    };
    try {
      return await work(pause);
    } finally {
      leave();
    }
  }

  #assertRoom(kind: WorkKind): void {
    if (this.#queue.size >= this.#limits.maxQueued && !this.hasRoom(kind))
      throw createNodeError(
        'QUEUE_FULL',
        `Queue full: ${this.#queue.size} messages are waiting. Send fewer at a time.`,
      );
  }

  #waitForTurn(kind: WorkKind, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.delete(entry);
        reject(signal.reason);
      };
      const entry: QueueEntry = {
        kind,
        start: () => {
          signal.removeEventListener('abort', onAbort);
          this.#queue.delete(entry);
          this.#active[kind] += 1;
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#queue.add(entry);
      this.#startNext();
    });
  }

  /** Returns whether work of this kind would start at once. */
  hasRoom(kind: WorkKind): boolean {
    const { transfer, call } = this.#active;
    return transfer + call < this.#limits.concurrency && (kind === 'call' || transfer < this.#limits.transfers);
  }

  #startNext(): void {
    // A Set iterates in insertion order, and entries may be deleted during the iteration.
    for (const entry of this.#queue) {
      if (!this.hasRoom('call')) return;
      if (this.hasRoom(entry.kind)) entry.start();
    }
  }
}
