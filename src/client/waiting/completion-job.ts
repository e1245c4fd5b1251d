import type { OperationStatus } from '../../api/index.js';
import { statusSpec } from '../calls/operations.js';
import type { Outcome, Session } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { abortedError, type Clock } from '../clock.js';
import type { Closing } from '../closing.js';
import { followSignals, listenToAbort } from '../follow-signals.js';
import type { WaitOptions } from '../types.js';
import { lookDelayMs, safetyDelayMs } from './look-delay.js';
import type { NextLook, PollJob, PollScheduler, PollTicket } from './poll-scheduler.js';

/** What a wait works with. */
export interface WaitParts {
  session: Session;
  scheduler: PollScheduler;
  limits: ClientLimits;
  clock: Clock;
  closing: Closing;
}

/** How a wait ends. The first call counts: a look that an abort ends comes after the abort itself. */
export interface Ending {
  resolve(status: OperationStatus): void;
  reject(error: unknown): void;
}

/** A longer timer of Node's is over at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** The least time between two looks that callbacks asked for. */
const CALLBACK_PAUSE_MS = 1_000;

/**
 * The looks at one operation. Pauses between them grow with the square root of its age, which gives the least mean latency
 * for a number of looks when nothing is known about how long operations take. What is expected to pass (no connection, an
 * overloaded service, a reply that makes no sense) ends no wait before its deadline. A callback is a hint: it brings a look forward,
 * at most one a second, and the status alone says how the operation stands.
 */
export class CompletionJob implements PollJob {
  readonly deadline: number;
  readonly #parts: WaitParts;
  readonly #operationId: string;
  readonly #operation: string;
  readonly #options: WaitOptions;
  readonly #end: Ending;
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  #last = 'its status could not be read';
  #unknownCount = 0;
  /** When the last look that a callback asked for began. */
  #verifiedAt = Number.NEGATIVE_INFINITY;
  #isLooking: boolean = false;
  /** Since the last look began. */
  #isCalledBack: boolean = false;
  #wasCalledBack: boolean = false;
  #ticket: PollTicket | undefined;
  #stopListening: (() => void) | undefined;

  constructor(parts: WaitParts, operationId: string, operation: string, options: WaitOptions, end: Ending) {
    this.#parts = parts;
    this.#operationId = operationId;
    this.#operation = operation;
    this.#options = options;
    this.#end = end;
    this.#startedAt = parts.clock.now();
    this.#timeoutMs = options.timeoutMs ?? parts.limits.waitTimeoutMs;
    this.deadline = this.#startedAt + this.#timeoutMs;
  }

  begin(): void {
    const { scheduler, closing } = this.#parts;
    const { signal, callbacks } = this.#options;
    this.#ticket = scheduler.add(this, this.#delayMs);
    listenToAbort(signal, this.#onAbort);
    listenToAbort(closing, this.#onAbort);
    this.#stopListening = callbacks?.listen(() => this.#onCallback());
  }

  #leave(): void {
    this.#ticket?.remove();
    this.#stopListening?.();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#parts.closing.removeEventListener('abort', this.#onAbort);
  }

  #fail(error: unknown): void {
    this.#leave();
    this.#end.reject(error);
  }

  readonly #onAbort = (): void => {
    this.#fail(abortedError(`The wait for ${this.#operation} ${this.#operationId}`));
  };

  #onCallback(): void {
    this.#isCalledBack = true;
    this.#wasCalledBack = true;
    if (this.#isLooking) return;
    this.#ticket?.hurry(this.#verifyDelayMs);
  }

  /** The pause before a look that a callback asks for. */
  get #verifyDelayMs(): number {
    return Math.max(0, this.#verifiedAt + CALLBACK_PAUSE_MS - this.#parts.clock.now());
  }

  /** The pause before the next look. After a callback that came too early none other may come. */
  get #delayMs(): number {
    const { clock, limits } = this.#parts;
    const ageMs = clock.now() - this.#startedAt;
    const plainMs = lookDelayMs(ageMs, limits, clock.random);
    if (this.#isCalledBack) return this.#verifyDelayMs;
    if (this.#wasCalledBack) return Math.max(plainMs, CALLBACK_PAUSE_MS);
    return this.#options.callbacks?.isExpected() ? Math.max(plainMs, safetyDelayMs(ageMs, clock.random)) : plainMs;
  }

  async look(): Promise<NextLook> {
    const { session, limits, clock } = this.#parts;
    // Somebody else's call may have been asked to leave the service alone for a while.
    if (session.pauseMs > 0) return { afterMs: session.pauseMs };
    this.#isLooking = true;
    if (this.#isCalledBack) this.#verifiedAt = clock.now();
    this.#isCalledBack = false;
    const overdue = new AbortController();
    const { signal, release } = followSignals([this.#options.signal, this.#parts.closing, overdue.signal]);
    // A look that hangs must not carry the wait over its deadline.
    const timer = setTimeout(() => overdue.abort(), Math.min(this.deadline - clock.now(), MAX_TIMER_MS));
    try {
      const outcome = await session.tryOnce(statusSpec(this.#operationId, limits), signal);
      return outcome.isOk ? this.#onStatus(outcome.value) : this.#onFailure(outcome);
    } catch (error) {
      if (overdue.signal.aborted) this.expire();
      else this.#fail(error);
      return undefined;
    } finally {
      this.#isLooking = false;
      clearTimeout(timer);
      release();
    }
  }

  expire(): void {
    const message = `The ${this.#operation} ${this.#operationId} was not completed within ${this.#timeoutMs / 1000} s: ${this.#last}.`;
    this.#fail(new ClientError('WAIT_TIMEOUT', message));
  }

  #onStatus(status: OperationStatus): NextLook {
    this.#unknownCount = 0;
    this.#options.onStatus?.(status);
    if (status.isCompleted) {
      this.#leave();
      this.#end.resolve(status);
      return undefined;
    }
    const share = status.progress === undefined ? '' : ` (${Math.round(status.progress * 100)} %)`;
    this.#last = `the last status said that it is not${share}`;
    return { afterMs: this.#delayMs };
  }

  #onFailure(outcome: Outcome<never> & { isOk: false }): NextLook {
    const { error, kind, retryAfterMs } = outcome;
    this.#last = error.message.replace(/\.$/, '');
    this.#unknownCount = error.code === 'NOT_FOUND' ? this.#unknownCount + 1 : 0;
    if (!this.#mayPass(error)) {
      this.#fail(error);
      return undefined;
    }
    const isOverloaded = kind === 'throttled' || kind === 'server';
    return { afterMs: Math.max(this.#delayMs, retryAfterMs ?? 0), isOverloaded };
  }

  #mayPass(error: ClientError): boolean {
    if (error.code !== 'NOT_FOUND') return error.isTransient;
    const { limits, clock } = this.#parts;
    // The service may not have heard of it everywhere yet.
    return clock.now() - this.#startedAt < limits.lagToleranceMs || this.#unknownCount < limits.maxUnknownLooks;
  }
}
