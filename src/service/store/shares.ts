// Start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996) by used time. Each user has a virtual time, the time that their
// operations have used; the user with the lowest one is next. Since the time of an operation is known only at its end, a
// claim costs `CLAIM_COST_MS` at first. The virtual time of the queue is that of the last claim: a user who returns begins
// there, so that nobody saves time up.

/** The cost of a claim until `charge`. Without it, claims at the same time would all be of one user. */
export const CLAIM_COST_MS = 100;

/** The virtual times of users of one service. They need not be stored: after a restart, all users begin at the same time. */
export class Shares {
  /** That of the queue. */
  #virtualMs = 0;
  /** Those of the users that are later. */
  readonly #virtualMsByUser = new Map<string, number>();

  /** Returns the virtual time at which the next operation of a user begins. */
  startOf(owner: string): number {
    return Math.max(this.#virtualMsByUser.get(owner) ?? 0, this.#virtualMs);
  }

  /** Returns the first of the operations whose user begins next. */
  findEarliest<O extends { owner: string }>(operations: readonly O[]): O | undefined {
    const earliest = Math.min(...operations.map(({ owner }) => this.startOf(owner)));
    return operations.find(({ owner }) => this.startOf(owner) === earliest);
  }

  /** Returns the user who begins before all others of `owners`, if there is one. */
  findSoleEarliest(owners: readonly string[]): string | undefined {
    const starts = owners.map((owner) => this.startOf(owner));
    const earliest = Math.min(...starts);
    const index = starts.indexOf(earliest);
    return starts.lastIndexOf(earliest) === index ? owners[index] : undefined;
  }

  /** Returns the user with the highest virtual time, which includes that of running operations: `usedMs`, by user. */
  findLatest(usedMs: ReadonlyMap<string, number>): { owner: string; ms: number } | undefined {
    const users = [...usedMs].map(([owner, ms]) => ({ owner, ms: this.startOf(owner) + ms }));
    return users.sort((left, right) => right.ms - left.ms)[0];
  }

  /** Counts a claim. */
  countClaim(owner: string): void {
    const start = this.startOf(owner);
    this.#virtualMs = start;
    for (const [user, ms] of this.#virtualMsByUser) if (ms <= start) this.#virtualMsByUser.delete(user);
    this.#virtualMsByUser.set(owner, start + CLAIM_COST_MS);
  }

  /** Replaces the cost of a claim by the time that was used. */
  charge(owner: string, usedMs: number): void {
    const ms = this.#virtualMsByUser.get(owner) ?? this.#virtualMs;
    this.#virtualMsByUser.set(owner, ms + usedMs - CLAIM_COST_MS);
  }
}
