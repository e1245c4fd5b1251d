/** Something with an end, of which there is one a key, however many use it. */
export interface Closable {
  close(): Promise<void> | void;
}

interface Entry<T> {
  resource: T;
  userCount: number;
  /** Calls the end off, while it is scheduled. */
  cancelClose: () => void;
}

/** Calls `run` after `ms`; answers how to call that off. */
export type Schedule = (run: () => void, ms: number) => () => void;

export const scheduleTimeout: Schedule = (run, ms) => {
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
export class RefCountedRegistry<T extends Closable> {
  readonly #lingerMs: number;
  readonly #schedule: Schedule;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(lingerMs: number, schedule: Schedule = scheduleTimeout) {
    this.#lingerMs = lingerMs;
    this.#schedule = schedule;
  }

  /** The thing of this key, made by `create` if there is none; `predecessorEnd` settles when an earlier one has ended. */
  acquire(key: string, create: (predecessorEnd: Promise<void>) => T): T {
    const existing = this.#entries.get(key);
    if (existing) {
      existing.cancelClose();
      existing.cancelClose = NOTHING_SCHEDULED;
      existing.userCount += 1;
      return existing.resource;
    }
    const resource = create(this.#closing.get(key) ?? Promise.resolve());
    this.#entries.set(key, { resource, userCount: 1, cancelClose: NOTHING_SCHEDULED });
    return resource;
  }

  /** Takes one user away; call it once for each `acquire`. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry || entry.userCount === 0) throw new TypeError('released more often than acquired');
    entry.userCount -= 1;
    if (entry.userCount === 0) entry.cancelClose = this.#schedule(() => this.#end(key, entry), this.#lingerMs);
  }

  #end(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    const end = Promise.resolve(entry.resource.close())
      // Whoever comes next must not fail because the one before ended badly.
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(key) === end) this.#closing.delete(key);
      });
    this.#closing.set(key, end);
  }
}
