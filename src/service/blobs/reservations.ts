/**
 * Space that is set aside for an upload or an output until its row is stored or its bytes are deleted. Sizes are in
 * bytes.
 */
export interface ReservedSpace {
  owner: string;
  /** The final size, as far as it is known. */
  announcedBytes: number;
  /** How far the file may grow without another check. */
  grantedBytes: number;
  /** How much of it has been received, or is in a temporary file. */
  arrivedBytes: number;
}

/**
 * Returns how much of a grant others have to respect: at most twice what has arrived. The rest only saves checks, and
 * is withdrawn when somebody else needs it: an announced length costs nothing, so it keeps no space.
 */
function lastingBytes({ grantedBytes, arrivedBytes }: ReservedSpace): number {
  return Math.min(grantedBytes, 2 * arrivedBytes);
}

function sum(all: readonly ReservedSpace[], bytesOf: (reserved: ReservedSpace) => number): number {
  let bytes = 0;
  for (const reserved of all) bytes += bytesOf(reserved);
  return bytes;
}

/** Returns the bytes that have been granted; with `owner`: to this user. */
export function sumGranted(all: readonly ReservedSpace[], owner?: string): number {
  return sum(all, (reserved) => (owner === undefined || reserved.owner === owner ? reserved.grantedBytes : 0));
}

/** Returns the bytes that have been granted and have not arrived. */
export function sumUnwritten(all: readonly ReservedSpace[]): number {
  return sum(all, ({ grantedBytes, arrivedBytes }) => grantedBytes - arrivedBytes);
}

/** Returns the bytes that have arrived, and are in temporary files. */
export function sumArrived(all: readonly ReservedSpace[]): number {
  return sum(all, ({ arrivedBytes }) => arrivedBytes);
}

/** Returns the lasting bytes that have not arrived. */
export function sumOutstanding(all: readonly ReservedSpace[]): number {
  return sum(all, (reserved) => lastingBytes(reserved) - reserved.arrivedBytes);
}

/** Returns the lasting bytes by user. */
export function sumLastingByOwner(all: readonly ReservedSpace[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const reserved of all) {
    const lasting = lastingBytes(reserved);
    if (lasting > 0) bytes.set(reserved.owner, (bytes.get(reserved.owner) ?? 0) + lasting);
  }
  return bytes;
}

/** The reservations of this process. In memory: see `docs/decisions/011-reservations.md`. */
export class Reservations {
  readonly #all = new Set<ReservedSpace>();

  add(reserved: ReservedSpace): void {
    this.#all.add(reserved);
  }

  delete(reserved: ReservedSpace): void {
    this.#all.delete(reserved);
  }

  /** Returns copies of all others than `reserved`. They do not change while the stored bytes are read. */
  copyOthers(reserved: ReservedSpace): ReservedSpace[] {
    return [...this.#all].filter((other) => other !== reserved).map((other) => ({ ...other }));
  }

  /** Withdraws all grants of others than `reserved` that do not last. */
  withdraw(reserved: ReservedSpace): void {
    for (const other of this.#all) if (other !== reserved) other.grantedBytes = lastingBytes(other);
  }
}
