import { delay } from '../../machine/delay.js';
import type { Lists, ReportedOperation } from '../../store/lists.js';

/** The dependencies of a `CompletionWatch`. */
export interface CompletionWatchDependencies {
  lists: Pick<Lists, 'named' | 'completed'>;
  isStopping: () => boolean;
  /** Returns the time in ms since 1970. */
  now: () => number;
  /** Returns a time in ms that changes of the system clock do not affect. */
  monotonicNow: () => number;
  /** Waits before the next poll. Default: a timer. */
  sleep?: typeof delay;
}

/** How long a request waits for an operation. Browsers open six connections to a host, so it is not longer. */
const HOLD_MS = 3000;
// The poll interval of an operation is an eighth of its age.
const [MIN_CHECK_MS, MAX_CHECK_MS, AGE_FRACTION] = [15, 250, 1 / 8];
/** The number of operations that one query asks for. The others follow at once. */
const MAX_POLL_IDS = 1000;

/** A request that waits. */
interface Wait {
  owner: string;
  ids: readonly string[];
  /** The time of the next poll, and of the last one, when the request is answered. */
  dueAt: number;
  endsAt: number;
  /** When the youngest of its operations was started. */
  startedAt: number;
  resolve: (rows: ReportedOperation[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Waits for the completion of operations that may run on other machines, by polling their rows. All waits of a process
 * share the polls: about 8 a second, whatever number of pages waits, and more while operations are young.
 */
export class CompletionWatch {
  readonly #dependencies: Required<CompletionWatchDependencies>;
  readonly #waits = new Set<Wait>();
  #wake = new AbortController();
  #isRunning: boolean = false;

  constructor(dependencies: CompletionWatchDependencies) {
    this.#dependencies = { sleep: delay, ...dependencies };
  }

  /**
   * Resolves with those of the named operations of a user that are completed: as soon as there is one, empty after 3 s, or
   * when the signal is aborted or the service is stopping. Throws the error of the store.
   */
  async wait(owner: string, ids: readonly string[], signal: AbortSignal): Promise<ReportedOperation[]> {
    const { lists, isStopping, now, monotonicNow } = this.#dependencies;
    const rows = await lists.named(owner, ids);
    const completed = rows.filter(({ state }) => state === 'completed');
    if (completed.length > 0 || signal.aborted || isStopping()) return completed;
    const time = monotonicNow();
    const ageMs = now() - Math.max(...rows.map(({ created_at }) => Number(created_at))); // infinite without a row
    let onAbort = (): void => undefined;
    const waiting = new Promise<ReportedOperation[]>((resolve, reject) => {
      const [endsAt, startedAt] = [time + HOLD_MS, time - ageMs];
      const wait = { owner, ids, dueAt: time, endsAt, startedAt, resolve, reject };
      onAbort = () => this.#end(wait, []);
      this.#add(wait);
    });
    signal.addEventListener('abort', onAbort, { once: true });
    return waiting.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #add(wait: Wait): void {
    this.#plan(wait);
    this.#waits.add(wait);
    this.#wake.abort();
    if (!this.#isRunning) void this.#run();
  }

  /** Plans the next poll for a wait. */
  #plan(wait: Wait): void {
    const time = this.#dependencies.monotonicNow();
    const delayMs = Math.min(Math.max((time - wait.startedAt) * AGE_FRACTION, MIN_CHECK_MS), MAX_CHECK_MS);
    wait.dueAt = Math.min(time + delayMs, wait.endsAt);
  }

  #end(wait: Wait, rows: ReportedOperation[]): void {
    if (this.#waits.delete(wait)) wait.resolve(rows);
  }

  /** Polls until nobody waits. Never rejects. */
  async #run(): Promise<void> {
    const { sleep, isStopping, monotonicNow } = this.#dependencies;
    this.#isRunning = true;
    while (this.#waits.size > 0) {
      this.#wake = new AbortController();
      const dueAt = Math.min(...[...this.#waits].map((wait) => wait.dueAt));
      await sleep(Math.max(0, dueAt - monotonicNow()), this.#wake.signal);
      if (isStopping()) for (const wait of this.#waits) this.#end(wait, []);
      else await this.#poll();
    }
    this.#isRunning = false;
  }

  /** Returns the waits that are due, and those that soon will be: they share the poll. */
  #findDue(): Wait[] {
    const time = this.#dependencies.monotonicNow();
    const waits = [...this.#waits].sort((left, right) => left.dueAt - right.dueAt);
    if (waits[0] === undefined || waits[0].dueAt > time) return [];
    let idCount = 0;
    return waits.filter(({ dueAt, ids }) => {
      idCount += ids.length;
      return dueAt < time + MAX_CHECK_MS / 2 && idCount <= MAX_POLL_IDS;
    });
  }

  async #poll(): Promise<void> {
    const due = this.#findDue();
    if (due.length === 0) return;
    try {
      const rows = await this.#dependencies.lists.completed([...new Set(due.flatMap(({ ids }) => ids))]);
      const time = this.#dependencies.monotonicNow();
      for (const wait of due) {
        const completed = rows.filter(({ id, owner }) => owner === wait.owner && wait.ids.includes(id));
        if (completed.length > 0 || time >= wait.endsAt) this.#end(wait, completed);
        else this.#plan(wait);
      }
    } catch (error) {
      for (const wait of due) if (this.#waits.delete(wait)) wait.reject(error);
    }
  }
}
