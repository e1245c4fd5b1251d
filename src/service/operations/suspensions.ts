import type { Attempt } from './attempt.js';

/** The attempts of a worker that occupy slots, and those that are suspended. */
export class Suspensions {
  /** The attempts whose jobs have not ended. */
  readonly #active = new Set<Attempt>();
  /** Those of them that are suspended; the longest first. */
  readonly #suspended = new Set<Attempt>();

  /** The number of suspended attempts. */
  get count(): number {
    return this.#suspended.size;
  }

  add(attempt: Attempt): void {
    this.#active.add(attempt);
  }

  /** Removes an attempt whose job has ended. */
  remove(attempt: Attempt): void {
    this.#active.delete(attempt);
    this.#suspended.delete(attempt);
  }

  /**
   * Returns the users one of whose attempts has run for `minMs` without a pause, each with the time that all of theirs have
   * used so far, in ms.
   */
  findSuspendable(minMs: number): Map<string, number> {
    const usedMs = new Map<string, number>();
    const owners = new Set<string>();
    for (const { row, turn } of this.#active) {
      usedMs.set(row.owner, (usedMs.get(row.owner) ?? 0) + turn.usedMs);
      if (turn.stretchMs >= minMs) owners.add(row.owner);
    }
    return new Map([...usedMs].filter(([owner]) => owners.has(owner)));
  }

  /** Suspends the attempt of a user that has run for longest without a pause. Does nothing if it has ended meanwhile. */
  suspendOne(owner: string): void {
    const own = [...this.#active].filter(({ row, turn }) => row.owner === owner && !turn.isSuspended);
    const attempt = own.sort((left, right) => right.turn.stretchMs - left.turn.stretchMs)[0];
    if (!attempt) return;
    this.#suspended.add(attempt);
    attempt.turn.suspend();
  }

  /** Resumes the attempt that was suspended first. Returns whether there was one. */
  resumeOne(): boolean {
    const [attempt] = this.#suspended;
    if (!attempt) return false;
    this.#suspended.delete(attempt);
    attempt.turn.resume();
    return true;
  }
}
