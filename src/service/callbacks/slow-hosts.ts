import type { DueCallback } from '../store/callbacks.js';

const SECOND = 1000;

/** The delay after the first attempt that a host was slow to refuse, and its limit. It doubles with each further one. */
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [5 * SECOND, 60 * SECOND];

/** The maximum number of hosts. The oldest are removed first, and are then tried several times at once again. */
const MAX_HOSTS = 1_000;

/** Returns the part of a URL in its normal form that names the host: all up to its path, with the slash. */
export function hostPrefixOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2) + 1);
}

/** The hosts of each user that took long to fail. Each is tried alone until it replies, so that it delays no other. */
export class SlowHosts {
  /** User and host → slow failures in a row. Oldest first. */
  readonly #failures = new Map<string, number>();

  /** Returns whether only one callback at a time is to be sent to the host of this one. */
  has(callback: DueCallback): boolean {
    return this.#failures.has(keyOf(callback));
  }

  /** Adds the host of a callback. Returns how long, in ms, none is to be sent to it. */
  add(callback: DueCallback): number {
    const key = keyOf(callback);
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_HOSTS && oldest !== undefined) this.#failures.delete(oldest);
    return Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS);
  }

  /** Removes the host of a callback, since it has replied. */
  remove(callback: DueCallback): void {
    this.#failures.delete(keyOf(callback));
  }
}

/** A user cannot slow down the callbacks of another one to the same host. */
function keyOf({ owner, url }: DueCallback): string {
  return `${owner} ${hostPrefixOf(url)}`;
}
