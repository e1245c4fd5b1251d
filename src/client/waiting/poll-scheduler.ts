import { type ClientLimits, MAX_TIMER_MS, resolveLimits } from '../client-limits.js';
import { type Clock, createClock } from '../clock.js';
import { MinHeap } from './min-heap.js';

/** One thing that is looked at again and again. `poll` never rejects; it says what comes next. */
export interface PollJob {
  poll(): Promise<NextPoll>;
  /** Called once when the deadline is over and no look is under way. */
  expire(): void;
  /** Of the monotonic clock. */
  deadline: number;
}

/** `undefined`: no more looks. `isOverloaded`: the service asks for fewer. */
export type NextPoll = { afterMs: number; isOverloaded?: boolean } | undefined;

/** A job's place in the scheduler. */
export interface PollTicket {
  /** Takes the job out. */
  remove(): void;
  /** Looks at the job after `afterMs` if that is earlier than planned; with 0 before all others. Nothing while a look is under way. */
  expedite(afterMs: number): void;
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
  isPolling: boolean;
  isRemoved: boolean;
}

class Ticket implements PollTicket {
  readonly #scheduler: HeapScheduler;
  #entry: Entry;

  constructor(scheduler: HeapScheduler, entry: Entry) {
    this.#scheduler = scheduler;
    this.#entry = entry;
  }

  remove(): void {
    this.#entry.isRemoved = true;
  }

  expedite(afterMs: number): void {
    this.#entry = this.#scheduler.expedite(this.#entry, afterMs);
  }
}

/** The first entry that was not taken out. */
function peekPresent(heap: MinHeap<Entry>): Entry | undefined {
  let first = heap.peek();
  while (first?.isRemoved) {
    heap.pop();
    first = heap.peek();
  }
  return first;
}

function expire(entry: Entry): void {
  entry.isRemoved = true;
  entry.job.expire();
}

const BURST_S = 0.25;
const MIN_RATE_FRACTION = 1 / 16;
/** Each look that finds the service well gives back this much of the full rate. */
const RATE_INCREASE = 0.01;

/**
 * One heap by due time and one timer for all jobs of an account. The most overdue goes first; a token bucket bounds the looks
 * per second, and each sign of overload halves that rate until looks go well again (AIMD). At a job's deadline it is told so; that
 * costs no token. Eight looks are under way at a time, not counting those that hang.
 */
class HeapScheduler implements PollScheduler {
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #heap = new MinHeap<Entry>((entry) => entry.dueAt);
  // Of its own, since who is overdue may be waiting for its turn behind others.
  readonly #deadlines = new MinHeap<Entry>((entry) => entry.job.deadline);
  readonly #closing = new AbortController();
  #timer: { at: number; cancel: AbortController } | undefined;
  #inFlight = 0;
  /** Of those in flight. */
  #slowCount = 0;
  #rateFraction = 1;
  #tokens: number;
  #filledAt: number;

  constructor(limits: ClientLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#filledAt = clock.now();
  }

  add(job: PollJob, firstMs: number): PollTicket {
    const entry: Entry = { job, dueAt: 0, isPolling: false, isRemoved: this.#closing.signal.aborted };
    this.#deadlines.push(entry);
    this.#put(entry, firstMs);
    return new Ticket(this, entry);
  }

  /** Looks at an entry's job earlier than planned. What is in the heap must keep its place: another entry takes over, which is answered. */
  expedite(entry: Entry, afterMs: number): Entry {
    const dueAt = afterMs > 0 ? this.#clock.now() + afterMs : Number.NEGATIVE_INFINITY;
    if (entry.isRemoved || entry.isPolling || entry.dueAt <= dueAt) return entry;
    entry.isRemoved = true;
    const earlier = { ...entry, dueAt, isRemoved: false };
    this.#heap.push(earlier);
    this.#deadlines.push(earlier);
    this.#scheduleTimer();
    return earlier;
  }

  close(): void {
    this.#closing.abort();
    this.#timer?.cancel.abort();
    this.#heap.clear();
    this.#deadlines.clear();
  }

  get #burst(): number {
    return Math.max(1, this.#limits.pollsPerSecond * BURST_S);
  }

  #put(entry: Entry, afterMs: number): void {
    if (entry.isRemoved || this.#closing.signal.aborted) return;
    const now = this.#clock.now();
    if (now >= entry.job.deadline) {
      expire(entry);
      return;
    }
    entry.dueAt = now + afterMs;
    this.#heap.push(entry);
    this.#scheduleTimer();
  }

  /** Sets the one timer to the moment when something can happen. */
  #scheduleTimer(): void {
    const first = peekPresent(this.#heap);
    // Jobs that are looked at just now see to their deadlines themselves.
    const deadline = first && peekPresent(this.#deadlines)?.job.deadline;
    const startsAt = first && this.#hasCapacity ? this.#earliestStart(first) : undefined;
    const at = Math.min(startsAt ?? Number.POSITIVE_INFINITY, deadline ?? Number.POSITIVE_INFINITY);
    if (at === this.#timer?.at) return;
    this.#timer?.cancel.abort();
    this.#timer = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const timer = { at, cancel: new AbortController() };
    this.#timer = timer;
    const onTime = () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#runDue();
    };
    const delayMs = Math.min(Math.max(0, at - this.#clock.now()), MAX_TIMER_MS);
    this.#clock.sleep(delayMs, timer.cancel.signal).then(onTime, () => {});
  }

  /** A poll that hangs leaves its place to others, as long as there are connections. */
  get #hasCapacity(): boolean {
    const { controlSockets, pollSockets } = this.#limits;
    return this.#inFlight - this.#slowCount < controlSockets && this.#inFlight < pollSockets;
  }

  #earliestStart(entry: Entry): number {
    this.#refill();
    if (this.#tokens >= 1) return entry.dueAt;
    const waitMs = Math.ceil(((1 - this.#tokens) / this.#rate) * 1000);
    return Math.max(entry.dueAt, this.#clock.now() + waitMs);
  }

  #runDue(): void {
    this.#refill();
    const now = this.#clock.now();
    for (let entry = peekPresent(this.#deadlines); entry; entry = peekPresent(this.#deadlines)) {
      if (entry.job.deadline > now) break;
      this.#deadlines.pop();
      // A look that is under way sees to the deadline itself.
      if (!entry.isPolling) expire(entry);
    }
    for (let entry = peekPresent(this.#heap); entry && entry.dueAt <= now; entry = peekPresent(this.#heap)) {
      if (this.#tokens < 1 || !this.#hasCapacity) break;
      this.#heap.pop();
      this.#poll(entry);
    }
    this.#scheduleTimer();
  }

  #poll(entry: Entry): void {
    this.#inFlight += 1;
    this.#tokens -= 1;
    entry.isPolling = true;
    let isSlow = false;
    // Of the real clock: what hangs is a connection.
    const timer = setTimeout(() => {
      isSlow = true;
      this.#slowCount += 1;
      this.#scheduleTimer();
    }, this.#limits.slowPollMs);
    const onNext = (next: NextPoll) => {
      clearTimeout(timer);
      this.#inFlight -= 1;
      if (isSlow) this.#slowCount -= 1;
      entry.isPolling = false;
      if (next) {
        const fraction = next.isOverloaded ? this.#rateFraction / 2 : this.#rateFraction + RATE_INCREASE;
        this.#rateFraction = Math.min(1, Math.max(MIN_RATE_FRACTION, fraction));
        this.#put(entry, next.afterMs);
      }
      this.#scheduleTimer();
    };
    // `poll` never rejects; one that did all the same is taken out.
    entry.job.poll().then(onNext, () => onNext(undefined));
  }

  get #rate(): number {
    return this.#limits.pollsPerSecond * this.#rateFraction;
  }

  #refill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#rate);
    this.#filledAt = now;
  }
}
