/** The maximum number of addresses. The oldest are removed first, and are then logged once more. */
const MAX_ADDRESSES = 1_000;

/** The addresses (scheme, host and port) whose last callback failed, so that each is logged once. */
export class FailingAddresses {
  /** Oldest first. */
  readonly #origins = new Set<string>();

  /** Adds the address of a URL. Returns whether it was not in the set. */
  add(url: string): boolean {
    const { origin } = new URL(url);
    if (this.#origins.has(origin)) return false;
    this.#origins.add(origin);
    const [oldest] = this.#origins;
    if (this.#origins.size > MAX_ADDRESSES && oldest !== undefined) this.#origins.delete(oldest);
    return true;
  }

  /** Removes the address of a URL. */
  remove(url: string): void {
    this.#origins.delete(new URL(url).origin);
  }
}
