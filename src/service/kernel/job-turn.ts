/** Called when a job is suspended or resumed. */
export type TurnListener = (isSuspended: boolean) => void;

/** Measures the time that a job has used, and suspends it: its process, its deadline and that time stand still. */
export class JobTurn {
  readonly #now: () => number;
  /** When it began or was resumed. Undefined while it is suspended. */
  #resumedAt: number | undefined;
  #earlierMs = 0;
  #listener: TurnListener | undefined;

  /** Begins. `now`: returns the time in ms, from any origin; default: `performance.now`. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#resumedAt = now();
  }

  get isSuspended(): boolean {
    return this.#resumedAt === undefined;
  }

  /** The time since it began or was resumed, in ms. 0 while it is suspended. */
  get stretchMs(): number {
    return this.#resumedAt === undefined ? 0 : this.#now() - this.#resumedAt;
  }

  /** The time since it began, except while it was suspended, in ms. */
  get usedMs(): number {
    return this.#earlierMs + this.stretchMs;
  }

  suspend(): void {
    if (this.isSuspended) return;
    this.#earlierMs = this.usedMs;
    this.#resumedAt = undefined;
    this.#listener?.(true);
  }

  resume(): void {
    if (!this.isSuspended) return;
    this.#resumedAt = this.#now();
    this.#listener?.(false);
  }

  /** Calls `listener` now, and whenever this changes, until the returned function is called. There is one at a time. */
  follow(listener: TurnListener): () => void {
    this.#listener = listener;
    listener(this.isSuspended);
    return () => {
      this.#listener = undefined;
    };
  }
}
