/** The space for one upload, which grows while its bytes arrive, or for one output. */
export interface Reservation {
  /**
   * Reserves the space for a file of `size` bytes in total. To be awaited before they are written. `key`: of its object, if
   * it has one. Throws `USER_QUOTA_FULL`, `QUOTA_FULL` or `DISK_FULL`.
   */
  grow(size: number, key?: string): Promise<void>;
  /**
   * To be called once the row of the file was stored, or its bytes were deleted. `isStored`: the row was stored for certain,
   * which ends a reservation in a database. Never rejects.
   */
  release(isStored?: boolean): void | Promise<void>;
}

/** The space of all users, in bytes. */
export interface SpaceSummary {
  totalBytes: number;
  /** `Infinity`: no limit. */
  quotaBytes: number;
  /** Of the disk. `Infinity`: the files are not on a disk of this process. */
  freeBytes: number;
}

/** The quotas of the service and of its users. One process enforces them, or many that share a database. */
export interface Quotas {
  /** Deletes all expired files, records, tokens and idempotency keys. Throws the abort reason of `signal`. */
  purgeExpired(signal?: AbortSignal): Promise<void>;
  /**
   * Starts the reservation of an upload by `owner`. Evicts nothing. Throws `USER_QUOTA_FULL`, `QUOTA_FULL` or `DISK_FULL`
   * if `announcedBytes` would not fit even after evictions.
   */
  open(owner: string, announcedBytes: number): Promise<Reservation>;
  /** Reserves the space for an output of `owner`, which is in a temporary file. Throws like `Reservation.grow`. */
  reserve(owner: string, bytes: number, key?: string): Promise<Reservation>;
  describe(): Promise<SpaceSummary>;
}
