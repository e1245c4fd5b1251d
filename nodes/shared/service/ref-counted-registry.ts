import { type Scheduler, scheduleTimeout } from '../delay.js';

/** A resource that can be closed. */
export interface Closable {
  close(): Promise<void> | void;
}

interface Entry<T> {
  resource: T;
  referenceCount: number;
  /** Cancels the scheduled close. Does nothing if none is scheduled. */
  cancelClose: () => void;
}

function noop(): void {
  // no close is scheduled
}

/**
 * Shares one resource per key by reference counting. A resource without references is closed after
 * `idleTimeoutMs`. A redeploy closes nodes and immediately creates them again, and the new nodes reuse the resource.
 */
export class RefCountedRegistry<T extends Closable> {
  readonly #idleTimeoutMs: number;
  readonly #schedule: Scheduler;
  /** Key → open resource. */
  readonly #entries = new Map<string, Entry<T>>();
  /** Key → completion of the close in progress. */
  readonly #pendingCloses = new Map<string, Promise<void>>();

  constructor(idleTimeoutMs: number, schedule: Scheduler = scheduleTimeout) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#schedule = schedule;
  }

  /**
   * Returns the resource of a key and adds a reference. If there is no resource, creates one: `predecessorEnd` resolves
   * when the previous resource of the key has closed.
   */
  acquire(key: string, create: (predecessorEnd: Promise<void>) => T): T {
    const existing = this.#entries.get(key);
    if (existing) {
      existing.cancelClose();
      existing.cancelClose = noop;
      existing.referenceCount += 1;
      return existing.resource;
    }
    const resource = create(this.#pendingCloses.get(key) ?? Promise.resolve());
    this.#entries.set(key, { resource, referenceCount: 1, cancelClose: noop });
    return resource;
  }

  /** Removes a reference. Call it once per `acquire`. Throws a `TypeError` if the resource has no references. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry || entry.referenceCount === 0)
      throw new TypeError('Could not release the resource: it has no references. Call release once per acquire.');
    entry.referenceCount -= 1;
    if (entry.referenceCount === 0)
      entry.cancelClose = this.#schedule(() => this.#close(key, entry), this.#idleTimeoutMs);
  }

  #close(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    // An exception of `close` must not leave the timer that calls this function: it would end Node-RED.
    const completion = new Promise<void>((resolve) => resolve(entry.resource.close()))
      // The next resource of the key waits for this promise, and must not fail if the close failed.
      .catch(() => undefined)
      .then(() => {
        if (this.#pendingCloses.get(key) === completion) this.#pendingCloses.delete(key);
      });
    this.#pendingCloses.set(key, completion);
  }
}
