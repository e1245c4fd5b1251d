/** Space that is set aside for an upload or an output until its row is stored. Sizes are in bytes. */
export interface Held {
  owner: string;
  /** The final size, as far as it is known. */
  announcedBytes: number;
  /** How far the file may grow without another check. */
  grantedBytes: number;
  /** How much of it has been received. */
  arrivedBytes: number;
}

/**
 * Returns how much of a grant others have to respect: at most twice what has arrived. The rest only saves checks, and
 * is withdrawn when somebody else needs it: an announced length costs nothing, so it keeps no space.
 */
export function lastingBytes({ grantedBytes, arrivedBytes }: Held): number {
  return Math.min(grantedBytes, 2 * arrivedBytes);
}

function sum(all: Iterable<Held>, bytesOf: (held: Held) => number): number {
  let bytes = 0;
  for (const held of all) bytes += bytesOf(held);
  return bytes;
}

/**
 * The reservations of this process. In memory, because they end with the process and its temporary files: a row each
 * would cost two more syncs per upload. Several processes on one store exceed a quota by at most what their uploads have
 * received and not yet stored.
 */
export class Reservations {
  readonly #all = new Set<Held>();

  add(held: Held): void {
    this.#all.add(held);
  }

  delete(held: Held): void {
    this.#all.delete(held);
  }

  /** Returns the bytes that all others than `held` have been granted; with `owner`: those of this user. */
  granted(held: Held, owner?: string): number {
    return sum(this.#others(held, owner), ({ grantedBytes }) => grantedBytes);
  }

  /** Returns the lasting bytes of all others than `held`, by user. */
  lastingByOwner(held: Held): Map<string, number> {
    const bytes = new Map<string, number>();
    for (const other of this.#others(held)) {
      const lasting = lastingBytes(other);
      if (lasting > 0) bytes.set(other.owner, (bytes.get(other.owner) ?? 0) + lasting);
    }
    return bytes;
  }

  /** Returns the bytes that have arrived, and are in temporary files. */
  arrived(): number {
    return sum(this.#all, ({ arrivedBytes }) => arrivedBytes);
  }

  /** Returns the lasting bytes of all others than `held` that have not arrived. */
  outstanding(held: Held): number {
    return sum(this.#others(held), (other) => lastingBytes(other) - other.arrivedBytes);
  }

  /** Withdraws all grants of others than `held` that do not last. */
  withdraw(held: Held): void {
    for (const other of this.#others(held)) other.grantedBytes = lastingBytes(other);
  }

  #others(held: Held, owner?: string): Held[] {
    return [...this.#all].filter((other) => other !== held && (owner === undefined || other.owner === owner));
  }
}
