import { createNodeError } from '../node/flow-error.js';

/** `transfer`: moves a file's bytes; `call`: everything else. Waiting for an operation is not work and is not queued. */
export type WorkKind = 'transfer' | 'call';

export interface WorkLimits {
  /** Work done at once. */
  concurrency: number;
  /** Of these, transfers. */
  transfers: number;
  /** Work that may wait; more is refused with `QUEUE_FULL`. */
  maxQueued: number;
}

interface Waiting {
  kind: WorkKind;
  start: () => void;
}

/** The work of one config node, first come first served; a transfer that must wait lets calls pass. */
export class WorkQueue {
  readonly #limits: WorkLimits;
  readonly #waiting = new Set<Waiting>();
  readonly #active: Record<WorkKind, number> = { transfer: 0, call: 0 };

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  /** Does `work` when its turn comes. An abort ends the waiting at once, with the signal's reason; the work sees to itself. */
  async run<T>(kind: WorkKind, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#waitForTurn(kind, signal);
    try {
      return await work();
    } finally {
      this.#active[kind] -= 1;
      this.#startNext();
    }
  }

  #waitForTurn(kind: WorkKind, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.size >= this.#limits.maxQueued && !this.hasRoom(kind))
      throw createNodeError('QUEUE_FULL', `${this.#waiting.size} messages wait already; send fewer at once`);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(entry);
        reject(signal.reason);
      };
      const entry: Waiting = {
        kind,
        start: () => {
          signal.removeEventListener('abort', onAbort);
          this.#waiting.delete(entry);
          this.#active[kind] += 1;
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(entry);
      this.#startNext();
    });
  }

  /** Would work of this kind start at once? */
  hasRoom(kind: WorkKind): boolean {
    const { transfer, call } = this.#active;
    return transfer + call < this.#limits.concurrency && (kind === 'call' || transfer < this.#limits.transfers);
  }

  #startNext(): void {
    // A Set keeps its order, and an entry may be deleted while it is walked.
    for (const entry of this.#waiting) {
      if (!this.hasRoom('call')) return;
      if (this.hasRoom(entry.kind)) entry.start();
    }
  }
}
