/** Space that is set aside for an upload or an output until its row is stored. Sizes are in bytes. */
export interface ReservedSpace {
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
export function lastingBytes({ grantedBytes, arrivedBytes }: ReservedSpace): number {
  return Math.min(grantedBytes, 2 * arrivedBytes);
}

function sum(all: Iterable<ReservedSpace>, bytesOf: (reserved: ReservedSpace) => number): number {
  let bytes = 0;
  for (const reserved of all) bytes += bytesOf(reserved);
  return bytes;
}

/**
 * The reservations of this process. In memory, because they end with the process and its temporary files: a row each
 * would cost two more syncs per upload. Several processes on one store exceed a quota by at most what their uploads have
 * received and not yet stored.
 */
export class Reservations {
  readonly #all = new Set<ReservedSpace>();

  add(reserved: ReservedSpace): void {
    this.#all.add(reserved);
  }

  delete(reserved: ReservedSpace): void {
    this.#all.delete(reserved);
  }

  /** Returns the bytes that all others than `reserved` have been granted; with `owner`: those of this user. */
  granted(reserved: ReservedSpace, owner?: string): number {
    return sum(this.#others(reserved, owner), ({ grantedBytes }) => grantedBytes);
  }

  /** Returns the lasting bytes of all others than `reserved`, by user. */
  lastingByOwner(reserved: ReservedSpace): Map<string, number> {
    const bytes = new Map<string, number>();
    for (const other of this.#others(reserved)) {
      const lasting = lastingBytes(other);
      if (lasting > 0) bytes.set(other.owner, (bytes.get(other.owner) ?? 0) + lasting);
    }
    return bytes;
  }

  /** Returns the bytes that have arrived, and are in temporary files. */
  arrived(): number {
    return sum(this.#all, ({ arrivedBytes }) => arrivedBytes);
  }

  /** Returns the lasting bytes of all others than `reserved` that have not arrived. */
  outstanding(reserved: ReservedSpace): number {
    return sum(this.#others(reserved), (other) => lastingBytes(other) - other.arrivedBytes);
  }

  /** Withdraws all grants of others than `reserved` that do not last. */
  withdraw(reserved: ReservedSpace): void {
    for (const other of this.#others(reserved)) other.grantedBytes = lastingBytes(other);
  }

  #others(reserved: ReservedSpace, owner?: string): ReservedSpace[] {
    return [...this.#all].filter((other) => other !== reserved && (owner === undefined || other.owner === owner));
  }
}
