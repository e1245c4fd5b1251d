/** A resource that can be closed. */
export interface Closable {
  close(): Promise<void> | void;
}

interface Entry<T> {
  resource: T;
  userCount: number;
  /** Cancels the scheduled close. Does nothing if none is scheduled. */
  cancelClose: () => void;
}

/** Calls `run` after `ms`. Returns a function that cancels the call. */
export type Schedule = (run: () => void, ms: number) => () => void;

/** Schedules a call with `setTimeout`. */
export const scheduleTimeout: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

function cancelNothing(): void {
  // no close is scheduled
}

/**
 * Shares one resource per key by reference counting. After its last user has released it, a resource stays open for
 * `lingerMs`: a redeploy closes all nodes and creates them again at once, and the new ones reuse the resource.
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

  /**
   * Returns the resource of this key and adds a user. Creates it by `create` if there is none; `predecessorEnd` then
   * resolves when an earlier resource of this key has closed.
   */
  acquire(key: string, create: (predecessorEnd: Promise<void>) => T): T {
    const existing = this.#entries.get(key);
    if (existing) {
      existing.cancelClose();
      existing.cancelClose = cancelNothing;
      existing.userCount += 1;
      return existing.resource;
    }
    const resource = create(this.#closing.get(key) ?? Promise.resolve());
    this.#entries.set(key, { resource, userCount: 1, cancelClose: cancelNothing });
    return resource;
  }

  /** Removes one user; call it once per `acquire`. Throws a `TypeError` if the resource has no users. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry || entry.userCount === 0)
      throw new TypeError('Could not release the resource: it has no users. Call release once per acquire.');
    entry.userCount -= 1;
    if (entry.userCount === 0) entry.cancelClose = this.#schedule(() => this.#close(key, entry), this.#lingerMs);
  }

  #close(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    const closed = Promise.resolve(entry.resource.close())
      // A failed close must not fail the next resource of this key.
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(key) === closed) this.#closing.delete(key);
      });
    this.#closing.set(key, closed);
  }
}
