import { type ClientLimits, MAX_TIMER_MS, resolveLimits } from '../client-limits.js';
import { type Clock, createClock } from '../clock.js';
import { MinHeap } from './min-heap.js';

/** Something that is polled repeatedly. */
export interface PollJob {
  /** Polls once. Never rejects. */
  poll(): Promise<NextPoll>;
  /** Called once at the deadline, unless a poll is in flight. */
  expire(): void;
  /** A time of the monotonic clock, in ms. */
  deadline: number;
}

/** When to poll next. `undefined`: never again. `isOverloaded` reduces the poll rate. */
export type NextPoll = { afterMs: number; isOverloaded?: boolean } | undefined;

/** A scheduled job. */
export interface PollTicket {
  /** Removes the job. */
  remove(): void;
  /** Polls the job after `afterMs` if that is earlier than scheduled. 0: before all others. Ignored during a poll. */
  expedite(afterMs: number): void;
}

/** Schedules the polls of many operations. */
export interface PollScheduler {
  /** Adds a job, to be polled first after `firstMs`. */
  add(job: PollJob, firstMs: number): PollTicket;
  /** Removes all jobs without expiring them, and cancels the timer. */
  close(): void;
}

/** Creates a scheduler that clients of the same account can share. Default: 50 polls per second, 8 concurrent polls. */
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
  /** The current entry of the job: `expedite` replaces it. */
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

/** Returns the first entry that is not removed. Drops removed entries before it from the heap. */
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

/** The capacity of the token bucket, in seconds of the full rate. */
const BURST_S = 0.25;
const MIN_RATE_FRACTION = 1 / 16;
/** The fraction of the full rate that each poll without overload adds. */
const RATE_INCREASE = 0.01;

/**
 * Schedules all jobs of an account with one timer and one heap ordered by due time. The most overdue job is polled
 * first. A token bucket limits the polls per second. Overload halves its rate; successful polls restore it in small
 * steps (AIMD; D.-M. Chiu, R. Jain 1989). At most `controlSockets` polls are in flight, plus slow ones up to
 * `pollSockets` in total.
 */
class HeapScheduler implements PollScheduler {
  readonly #limits: ClientLimits;
  readonly #clock: Clock;
  readonly #heap = new MinHeap<Entry>((entry) => entry.dueAt);
  // A separate heap, because a job may reach its deadline while it waits behind others in the first one.
  readonly #deadlines = new MinHeap<Entry>((entry) => entry.job.deadline);
  readonly #closing = new AbortController();
  #timer: { at: number; cancel: AbortController } | undefined;
  #inFlight = 0;
  /** The number of polls in flight for longer than `slowPollMs`. */
  #slowCount = 0;
  #rateFraction = 1;
  #tokens: number;
  #refilledAt: number;

  constructor(limits: ClientLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = this.#burst;
    this.#refilledAt = clock.now();
  }

  add(job: PollJob, firstMs: number): PollTicket {
    const entry: Entry = { job, dueAt: 0, isPolling: false, isRemoved: this.#closing.signal.aborted };
    this.#deadlines.push(entry);
    this.#schedule(entry, firstMs);
    return new Ticket(this, entry);
  }

  /** Schedules a job earlier. Returns its entry: a new one, because keys must not change while they are in a heap. */
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

  /** Schedules the next poll of an entry, or expires its job if the deadline has passed. */
  #schedule(entry: Entry, afterMs: number): void {
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

  /** Sets the timer to the earliest time at which a poll can start or a job expires. */
  #scheduleTimer(): void {
    const first = peekPresent(this.#heap);
    // Jobs whose poll is in flight check their deadlines themselves.
    const deadline = first && peekPresent(this.#deadlines)?.job.deadline;
    const startsAt = first && this.#hasCapacity ? this.#earliestStart(first) : undefined;
    const at = Math.min(startsAt ?? Number.POSITIVE_INFINITY, deadline ?? Number.POSITIVE_INFINITY);
    if (at === this.#timer?.at) return;
    this.#timer?.cancel.abort();
    this.#timer = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const timer = { at, cancel: new AbortController() };
    this.#timer = timer;
    const onTimer = () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#runDue();
    };
    const delayMs = Math.min(Math.max(0, at - this.#clock.now()), MAX_TIMER_MS);
    this.#clock.sleep(delayMs, timer.cancel.signal).then(onTimer, () => {});
  }

  /** Whether another poll can start. Slow polls free their slot while `pollSockets` allows more connections. */
  get #hasCapacity(): boolean {
    const { controlSockets, pollSockets } = this.#limits;
    return this.#inFlight - this.#slowCount < controlSockets && this.#inFlight < pollSockets;
  }

  /** Returns when an entry can be polled: when it is due and a token is available. */
  #earliestStart(entry: Entry): number {
    this.#refill();
    if (this.#tokens >= 1) return entry.dueAt;
    const waitMs = Math.ceil(((1 - this.#tokens) / this.#rate) * 1000);
    return Math.max(entry.dueAt, this.#clock.now() + waitMs);
  }

  /** Expires the jobs whose deadline has passed, then polls the jobs that are due. */
  #runDue(): void {
    this.#refill();
    const now = this.#clock.now();
    for (let entry = peekPresent(this.#deadlines); entry; entry = peekPresent(this.#deadlines)) {
      if (entry.job.deadline > now) break;
      this.#deadlines.pop();
      // A poll in flight checks the deadline itself.
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
    // Uses the real clock, not the injected one: it measures a connection.
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
        this.#schedule(entry, next.afterMs);
      }
      this.#scheduleTimer();
    };
    // `poll` should never reject. If it does, the job is removed.
    entry.job.poll().then(onNext, () => onNext(undefined));
  }

  get #rate(): number {
    return this.#limits.pollsPerSecond * this.#rateFraction;
  }

  #refill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#refilledAt) / 1000) * this.#rate);
    this.#refilledAt = now;
  }
}
