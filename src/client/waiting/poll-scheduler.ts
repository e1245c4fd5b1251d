import { type ClientLimits, resolveLimits } from '../client-limits.js';
import { type Clock, createClock } from '../clock.js';
import { MinHeap } from './min-heap.js';

/** One thing that is looked at again and again. `look` never rejects; it says what comes next. */
export interface PollJob {
  look(): Promise<NextLook>;
  /** Called once when the deadline is over and no look is under way. */
  expire(): void;
  /** Of the monotonic clock. */
  deadline: number;
}

/** `undefined`: no more looks. `isOverloaded`: the service asks for fewer. */
export type NextLook = { afterMs: number; isOverloaded?: boolean } | undefined;

/** A job's place in the scheduler. */
export interface PollTicket {
  /** Takes the job out. */
  remove(): void;
  /** Looks at the job after `afterMs` if that is earlier than planned; with 0 before all others. Nothing while a look is under way. */
  hurry(afterMs: number): void;
}

/** Decides when each of many operations is looked at. */
export interface PollScheduler {
  /** Looks at the job first after `firstMs`. */
  add(job: PollJob, firstMs: number): PollTicket;
  close(): void;
}

/** A scheduler that the clients of one account can share. Default: 50 looks a second, 8 at once. */
export function createPollScheduler(
  options: { limits?: Partial<ClientLimits>; now?: Clock['now']; sleep?: Clock['sleep'] } = {},
): PollScheduler {
  return new HeapScheduler(resolveLimits(options.limits), createClock(options));
}

interface Entry {
  job: PollJob;
  dueAt: number;
  isLooking: boolean;
  isGone: boolean;
}

class Ticket implements PollTicket {
  readonly #scheduler: HeapScheduler;
  #entry: Entry;

  constructor(scheduler: HeapScheduler, entry: Entry) {
    this.#scheduler = scheduler;
    this.#entry = entry;
  }

  remove(): void {
    this.#entry.isGone = true;
  }

  hurry(afterMs: number): void {
    this.#entry = this.#scheduler.hurry(this.#entry, afterMs);
  }
}

const BURST_S = 0.25;
const SLOWEST_SHARE = 1 / 16;
/** Each look that finds the service well gives back this much of the full rate. */
const RECOVERY_SHARE = 0.01;

/**
 * One heap by due time and one timer for all jobs of an account. The most overdue goes first; a token bucket bounds the looks
 * per second, and each sign of overload halves that rate until looks go well again. At a job's deadline it is told so; that
 * costs no token.
 */
class HeapScheduler implements PollScheduler {
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #heap = new MinHeap<Entry>((entry) => entry.dueAt);
  readonly #closing = new AbortController();
  #timer: { at: number; cancel: AbortController } | undefined;
  #inFlight = 0;
  #rateShare = 1;
  #tokens: number;
  #filledAt: number;

  constructor(limits: ClientLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#filledAt = clock.now();
  }

  add(job: PollJob, firstMs: number): PollTicket {
    const entry: Entry = { job, dueAt: 0, isLooking: false, isGone: this.#closing.signal.aborted };
    this.#put(entry, firstMs);
    return new Ticket(this, entry);
  }

  /** Looks at an entry's job earlier than planned. What is in the heap must keep its place: another entry takes over, which is answered. */
  hurry(entry: Entry, afterMs: number): Entry {
    const dueAt = afterMs > 0 ? this.#clock.now() + afterMs : Number.NEGATIVE_INFINITY;
    if (entry.isGone || entry.isLooking || entry.dueAt <= dueAt) return entry;
    entry.isGone = true;
    const earlier = { ...entry, dueAt, isGone: false };
    this.#heap.push(earlier);
    this.#arm();
    return earlier;
  }

  close(): void {
    this.#closing.abort();
    this.#timer?.cancel.abort();
    this.#heap.clear();
  }

  get #burst(): number {
    return Math.max(1, this.#limits.pollsPerSecond * BURST_S);
  }

  #put(entry: Entry, afterMs: number): void {
    if (entry.isGone || this.#closing.signal.aborted) return;
    entry.dueAt = Math.min(this.#clock.now() + afterMs, entry.job.deadline);
    this.#heap.push(entry);
    this.#arm();
  }

  /** Sets the one timer to the moment when something can happen. */
  #arm(): void {
    let first = this.#heap.peek();
    while (first?.isGone) {
      this.#heap.pop();
      first = this.#heap.peek();
    }
    const at = first && this.#inFlight < this.#limits.controlSockets ? this.#possibleAt(first) : undefined;
    if (at === this.#timer?.at) return;
    this.#timer?.cancel.abort();
    this.#timer = undefined;
    if (at === undefined) return;
    const timer = { at, cancel: new AbortController() };
    this.#timer = timer;
    const onTime = () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#work();
    };
    this.#clock.sleep(Math.max(0, at - this.#clock.now()), timer.cancel.signal).then(onTime, () => {});
  }

  #possibleAt(entry: Entry): number {
    if (entry.dueAt >= entry.job.deadline) return entry.dueAt;
    this.#fill();
    if (this.#tokens >= 1) return entry.dueAt;
    const waitMs = Math.ceil(((1 - this.#tokens) / this.#rate) * 1000);
    return Math.max(entry.dueAt, this.#clock.now() + waitMs);
  }

  #work(): void {
    this.#fill();
    const now = this.#clock.now();
    for (let entry = this.#heap.peek(); entry && entry.dueAt <= now; entry = this.#heap.peek()) {
      const isOver = now >= entry.job.deadline;
      const isFree = this.#tokens >= 1 && this.#inFlight < this.#limits.controlSockets;
      if (!(entry.isGone || isOver || isFree)) break;
      this.#heap.pop();
      if (entry.isGone) continue;
      if (isOver) {
        entry.isGone = true;
        entry.job.expire();
      } else this.#look(entry);
    }
    this.#arm();
  }

  #look(entry: Entry): void {
    this.#inFlight += 1;
    this.#tokens -= 1;
    entry.isLooking = true;
    const onNext = (next: NextLook) => {
      this.#inFlight -= 1;
      entry.isLooking = false;
      if (next) {
        const share = next.isOverloaded ? this.#rateShare / 2 : this.#rateShare + RECOVERY_SHARE;
        this.#rateShare = Math.min(1, Math.max(SLOWEST_SHARE, share));
        this.#put(entry, next.afterMs);
      }
      this.#arm();
    };
    // `look` never rejects; one that did all the same is taken out.
    entry.job.look().then(onNext, () => onNext(undefined));
  }

  get #rate(): number {
    return this.#limits.pollsPerSecond * this.#rateShare;
  }

  #fill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#rate);
    this.#filledAt = now;
  }
}
