/** An attempt to log in that waits for its turn. */
export interface WaitingLogin {
  /** The network that it comes from, or a lane of its own. */
  lane: string;
  /** Identifies its network or device, client and user. */
  caller: string;
  /** Checks the password. Called again if the attempt was put back. */
  start: () => void;
  /** Ends the attempt without checking the password. */
  refuse: () => void;
}

/**
 * The attempts to log in that wait. Lanes take turns. Within each, a random caller is next, and a random one loses its
 * attempt if too many wait: whoever sends many under random names gains nothing by being first or last.
 */
export class LoginQueue {
  // lane → caller → its attempts, the first to arrive first. The lane whose turn is next is the first of the map.
  readonly #lanes = new Map<string, Map<string, WaitingLogin[]>>();
  readonly #random: () => number;
  #size = 0;

  /** `random` returns a number from 0 to below 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the number of attempts that wait in a lane. */
  countOf(lane: string): number {
    let count = 0;
    for (const line of this.#lanes.get(lane)?.values() ?? []) count += line.length;
    return count;
  }

  /** Returns the attempts of a caller. */
  loginsOf({ lane, caller }: Pick<WaitingLogin, 'lane' | 'caller'>): readonly WaitingLogin[] {
    return this.#lanes.get(lane)?.get(caller) ?? [];
  }

  /** Returns the callers with waiting attempts. */
  *callers(): Generator<string> {
    for (const lines of this.#lanes.values()) yield* lines.keys();
  }

  add(login: WaitingLogin): void {
    this.#queueOf(login).push(login);
    this.#size += 1;
  }

  /** Adds an attempt that was taken and did not run, before the others of its caller. */
  putBack(login: WaitingLogin): void {
    this.#queueOf(login).unshift(login);
    this.#size += 1;
  }

  /** Returns the attempts of a caller, in which one can be inserted. */
  #queueOf({ lane, caller }: WaitingLogin): WaitingLogin[] {
    const lines = this.#lanes.get(lane) ?? new Map<string, WaitingLogin[]>();
    const line = lines.get(caller) ?? [];
    lines.set(caller, line);
    this.#lanes.set(lane, lines);
    return line;
  }

  /** Removes an attempt, if it still waits. */
  remove(login: WaitingLogin): void {
    const lines = this.#lanes.get(login.lane);
    const line = lines?.get(login.caller);
    const index = line?.indexOf(login) ?? -1;
    if (!lines || !line || index < 0) return;
    line.splice(index, 1);
    this.#size -= 1;
    if (line.length === 0) lines.delete(login.caller);
    if (lines.size === 0) this.#lanes.delete(login.lane);
  }

  /** Removes and returns the next attempt whose caller is ready. */
  take(isReady: (caller: string) => boolean): WaitingLogin | undefined {
    for (const [lane, lines] of this.#lanes) {
      const login = this.#choose([...lines].filter(([caller]) => isReady(caller)))?.[1][0];
      if (!login) continue;
      this.remove(login);
      if (this.#lanes.delete(lane)) this.#lanes.set(lane, lines); // to the end of the round
      return login;
    }
    return undefined;
  }

  /** Returns the lane with the most waiting attempts; of several, the one whose turn is the last. */
  busiestLane(): string | undefined {
    const counts = [...this.#lanes.keys()].map((lane) => ({ lane, count: this.countOf(lane) }));
    return counts.sort((a, b) => a.count - b.count).at(-1)?.lane;
  }

  /** Removes and returns the last attempt of the caller with the most attempts in a lane, of several a random one. */
  takeSurplus(lane: string): WaitingLogin | undefined {
    const lines = [...(this.#lanes.get(lane)?.values() ?? [])];
    const most = Math.max(...lines.map(({ length }) => length));
    const last = this.#choose(lines.filter(({ length }) => length === most))?.at(-1);
    if (last) this.remove(last);
    return last;
  }

  #choose<T>(candidates: readonly T[]): T | undefined {
    return candidates[Math.floor(this.#random() * candidates.length)];
  }
}
