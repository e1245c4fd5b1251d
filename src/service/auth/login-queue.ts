/** An attempt to log in that waits for its turn. */
export interface WaitingLogin {
  /** The network that it comes from. */
  network: string;
  /** Identifies its network, client and user. */
  caller: string;
  /** Checks the password. Called again if the attempt was put back. */
  start: () => void;
  /** Ends the attempt without checking the password. */
  refuse: () => void;
}

/**
 * The attempts to log in that wait: networks take turns and, within each, callers, so that many attempts of one delay
 * those of the others little.
 */
export class LoginQueue {
  // network → caller → its attempts, the first to arrive first. The next in turn is the first of each map.
  readonly #networks = new Map<string, Map<string, WaitingLogin[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of attempts that wait from a network. */
  countOf(network: string): number {
    let count = 0;
    for (const line of this.#networks.get(network)?.values() ?? []) count += line.length;
    return count;
  }

  /** Returns the attempts of a caller. */
  loginsOf({ network, caller }: Pick<WaitingLogin, 'network' | 'caller'>): readonly WaitingLogin[] {
    return this.#networks.get(network)?.get(caller) ?? [];
  }

  /** Returns the callers with waiting attempts. */
  *callers(): Generator<string> {
    for (const lines of this.#networks.values()) yield* lines.keys();
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
  #queueOf({ network, caller }: WaitingLogin): WaitingLogin[] {
    const lines = this.#networks.get(network) ?? new Map<string, WaitingLogin[]>();
    const line = lines.get(caller) ?? [];
    lines.set(caller, line);
    this.#networks.set(network, lines);
    return line;
  }

  /** Removes an attempt, if it still waits. */
  remove(login: WaitingLogin): void {
    const lines = this.#networks.get(login.network);
    const line = lines?.get(login.caller);
    const index = line?.indexOf(login) ?? -1;
    if (!lines || !line || index < 0) return;
    line.splice(index, 1);
    this.#size -= 1;
    if (line.length === 0) lines.delete(login.caller);
    if (lines.size === 0) this.#networks.delete(login.network);
  }

  /** Removes and returns the next attempt whose caller is ready. */
  take(isReady: (caller: string) => boolean): WaitingLogin | undefined {
    for (const [network, lines] of this.#networks) {
      for (const [caller, line] of lines) {
        const [login] = line;
        if (!login || !isReady(caller)) continue;
        this.remove(login);
        // Both go to the end of the round.
        if (lines.delete(caller)) lines.set(caller, line);
        if (this.#networks.delete(network)) this.#networks.set(network, lines);
        return login;
      }
    }
    return undefined;
  }

  /** Returns the network with the most waiting attempts; of several, the one whose turn is the last. */
  busiestNetwork(): string | undefined {
    const counts = [...this.#networks.keys()].map((network) => ({ network, count: this.countOf(network) }));
    return counts.sort((a, b) => a.count - b.count).at(-1)?.network;
  }

  /** Removes and returns the last attempt of the caller with the most attempts in a network; of several, as above. */
  takeSurplus(network: string): WaitingLogin | undefined {
    const lines = [...(this.#networks.get(network)?.values() ?? [])];
    const longest = lines.sort((a, b) => a.length - b.length).at(-1);
    const last = longest?.at(-1);
    if (last) this.remove(last);
    return last;
  }
}
