/** Something with an end, of which there is one a key, however many use it. */
export interface Life {
  close(): Promise<void> | void;
}

interface Entry<T> {
  life: T;
  userCount: number;
  /** Calls the end off, while it is scheduled. */
  stay: () => void;
}

/** Calls `run` after `ms`; answers how to call that off. */
export type Schedule = (run: () => void, ms: number) => () => void;

export const byTimer: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

function NOTHING_SCHEDULED(): void {
  undefined;
}

/**
 * Things that live as long as somebody uses them. After the last user has let go a thing stays for `lingerMs`: a redeploy
 * closes all nodes and makes them anew at once, and the new ones take it over as it is.
 */
export class SharedLives<T extends Life> {
  readonly #lingerMs: number;
  readonly #schedule: Schedule;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #ends = new Map<string, Promise<void>>();

  constructor(lingerMs: number, schedule: Schedule = byTimer) {
    this.#lingerMs = lingerMs;
    this.#schedule = schedule;
  }

  /** The thing of this key, made by `create` if there is none; `predecessorEnd` settles when an earlier one has ended. */
  acquire(key: string, create: (predecessorEnd: Promise<void>) => T): T {
    const known = this.#entries.get(key);
    if (known) {
      known.stay();
      known.stay = NOTHING_SCHEDULED;
      known.userCount += 1;
      return known.life;
    }
    const life = create(this.#ends.get(key) ?? Promise.resolve());
    this.#entries.set(key, { life, userCount: 1, stay: NOTHING_SCHEDULED });
    return life;
  }

  /** Takes one user away; call it once for each `acquire`. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry || entry.userCount === 0) throw new TypeError('released more often than acquired');
    entry.userCount -= 1;
    if (entry.userCount === 0) entry.stay = this.#schedule(() => this.#end(key, entry), this.#lingerMs);
  }

  #end(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    const end = Promise.resolve(entry.life.close())
      // Whoever comes next must not fail because the one before ended badly.
      .catch(() => undefined)
      .then(() => {
        if (this.#ends.get(key) === end) this.#ends.delete(key);
      });
    this.#ends.set(key, end);
  }
}
