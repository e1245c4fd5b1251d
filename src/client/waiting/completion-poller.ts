import type { OperationStatus } from '../../api/index.js';
import { resultSpec, statusSpec } from '../calls/operations.js';
import type { Outcome, Session } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import { type ClientLimits, MAX_TIMER_MS } from '../client-limits.js';
import { abortedError, type Clock } from '../clock.js';
import type { CloseSignal } from '../close-signal.js';
import { combineSignals, subscribeToAbort } from '../combine-signals.js';
import { truncate } from '../replies/read-error-reply.js';
import type { CompletedOperation, WaitOptions } from '../types.js';
import { fallbackPollIntervalMs, pollIntervalMs } from './poll-interval.js';
import type { NextPoll, PollJob, PollScheduler, PollTicket } from './poll-scheduler.js';

/** What a wait works with. */
export interface WaitDependencies {
  session: Session;
  scheduler: PollScheduler;
  limits: ClientLimits;
  clock: Clock;
  closing: CloseSignal;
}

/** How a wait ends. The first call counts: a look that an abort ends comes after the abort itself. */
export interface Settlement {
  resolve(completed: CompletedOperation): void;
  reject(error: unknown): void;
}

/** The least time between two looks that callbacks asked for. */
const MIN_CALLBACK_POLL_INTERVAL_MS = 1_000;

/**
 * Statuses by which the service itself says that the request cannot be answered. All others may come from something between us and the
 * service, or pass: an expired account, a maintenance page, a redirect to a login.
 */
const DEFINITE_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 409, 410, 411, 413, 414, 415, 422, 431]);

/**
 * The polls of one operation, until its result is read. It is *running* at first; once its status says that it is completed it is
 * *completed*, and what is polled is its result. Pauses grow with the square root of the age, which gives the least mean latency for a
 * number of polls when nothing is known about how long operations take.
 *
 * Before the deadline only the service can end a wait: by the result, by saying that the operation failed, or by refusing the
 * request definitely, again and again. Everything else (no connection, no token, refused credentials, an overloaded service, a reply
 * that makes no sense) is polled again. A callback is a hint: it brings a poll forward, at most one a second, and the status alone says
 * how the operation stands.
 */
export class CompletionPoller implements PollJob {
  readonly deadline: number;
  readonly #parts: WaitDependencies;
  readonly #operationId: string;
  readonly #options: WaitOptions;
  readonly #end: Settlement;
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  /** The status of an operation whose result is still to be read. */
  #completed: OperationStatus | undefined;
  /** When what is polled now was polled first. */
  #phaseStartedAt: number;
  #operation: string | undefined;
  #lastProblem = 'its status could not be read';
  #refusalCount = 0;
  /** When the last look that a callback asked for began. */
  #callbackPolledAt = Number.NEGATIVE_INFINITY;
  #isPolling: boolean = false;
  /** Since the last look began. */
  #isCalledBack: boolean = false;
  #wasCalledBack: boolean = false;
  #ticket: PollTicket | undefined;
  #stopListening: (() => void) | undefined;

  constructor(
    dependencies: WaitDependencies,
    operationId: string,
    operation: string | undefined,
    options: WaitOptions,
    end: Settlement,
  ) {
    this.#parts = dependencies;
    this.#operationId = operationId;
    this.#operation = operation;
    this.#options = options;
    this.#end = end;
    this.#startedAt = dependencies.clock.now();
    this.#phaseStartedAt = this.#startedAt;
    this.#timeoutMs = options.timeoutMs ?? dependencies.limits.waitTimeoutMs;
    this.deadline = this.#startedAt + this.#timeoutMs;
  }

  begin(): void {
    const { scheduler, closing } = this.#parts;
    const { signal, callbacks } = this.#options;
    this.#ticket = scheduler.add(this, this.#delayMs);
    subscribeToAbort(signal, this.#onAbort);
    subscribeToAbort(closing, this.#onAbort);
    this.#stopListening = callbacks?.listen(() => this.#onCallback());
  }

  #detach(): void {
    this.#ticket?.remove();
    try {
      this.#stopListening?.();
    } catch {
      // A source of callbacks that fails must not keep the wait from ending.
    }
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#parts.closing.removeEventListener('abort', this.#onAbort);
  }

  #fail(error: unknown): undefined {
    this.#detach();
    this.#end.reject(error);
  }

  readonly #onAbort = (): void => {
    this.#fail(abortedError(`The wait for ${this.#name}`));
  };

  #onCallback(): void {
    this.#isCalledBack = true;
    this.#wasCalledBack = true;
    if (this.#isPolling) return;
    this.#ticket?.expedite(this.#callbackPollDelayMs);
  }

  /** The pause before a look that a callback asks for. */
  get #callbackPollDelayMs(): number {
    return Math.max(0, this.#callbackPolledAt + MIN_CALLBACK_POLL_INTERVAL_MS - this.#parts.clock.now());
  }

  /** The pause before the next look. After a callback that came too early none other may come. */
  get #delayMs(): number {
    const { clock, limits } = this.#parts;
    const ageMs = clock.now() - this.#phaseStartedAt;
    const plainMs = pollIntervalMs(ageMs, limits, clock.random);
    if (this.#completed) return plainMs;
    if (this.#isCalledBack) return this.#callbackPollDelayMs;
    if (this.#wasCalledBack) return Math.max(plainMs, MIN_CALLBACK_POLL_INTERVAL_MS);
    return this.#options.callbacks?.isExpected()
      ? Math.max(plainMs, fallbackPollIntervalMs(ageMs, clock.random))
      : plainMs;
  }

  async poll(): Promise<NextPoll> {
    const { session, clock } = this.#parts;
    // Somebody else's call may have been asked to leave the service alone for a while.
    if (session.pauseMs > 0) return { afterMs: session.pauseMs };
    this.#isPolling = true;
    if (this.#isCalledBack) this.#callbackPolledAt = clock.now();
    this.#isCalledBack = false;
    const overdue = new AbortController();
    const { signal, release } = combineSignals([this.#options.signal, this.#parts.closing, overdue.signal]);
    // A look that hangs must not carry the wait over its deadline.
    const timer = setTimeout(() => overdue.abort(), Math.min(this.deadline - clock.now(), MAX_TIMER_MS));
    try {
      return await this.#poll(signal);
    } catch (error) {
      if (overdue.signal.aborted) this.expire();
      else this.#fail(error);
      return undefined;
    } finally {
      this.#isPolling = false;
      clearTimeout(timer);
      release();
    }
  }

  /** Reads the status and, once the operation is completed, its result. */
  async #poll(signal: AbortSignal): Promise<NextPoll> {
    const { session, limits } = this.#parts;
    if (!this.#completed) {
      const outcome = await session.attemptOnce(statusSpec(this.#operationId, limits, 'poll'), signal);
      if (!outcome.isOk) return this.#onFailure(outcome);
      const status = this.#onStatus(outcome.value);
      this.#operation ??= status.operation ?? this.#options.defaultOperation;
      if (this.#operation === undefined) return this.#fail(this.#operationUnknown());
      if (!status.isCompleted) return { afterMs: this.#delayMs };
      if (!status.isSuccessful) return this.#fail(this.#operationFailed(status));
      this.#completed = status;
    }
    const operation = this.#operation ?? '';
    const outcome = await session.attemptOnce(resultSpec(this.#operationId, operation, limits, 'poll'), signal);
    if (!outcome.isOk) return this.#onFailure(outcome);
    this.#detach();
    this.#end.resolve({ operation, status: this.#completed, result: outcome.value });
    return undefined;
  }

  expire(): void {
    const problem = this.#completed ? 'the result could not be read' : 'it was not completed';
    const message = `Could not wait for ${this.#name}: ${problem} within ${this.#timeoutMs / 1000} s; ${this.#lastProblem}.`;
    this.#fail(new ClientError('WAIT_TIMEOUT', message));
  }

  #operationFailed({ error, report }: OperationStatus): ClientError {
    const reason = error ? `: ${truncate(error.message)}` : ', and the service gave no reason';
    const message = `The ${this.#name} failed${reason}.`.replace(/([.!?…])\.$/, '$1');
    return new ClientError('OPERATION_FAILED', message, { report });
  }

  #operationUnknown(): ClientError {
    const message = `Could not determine the type of operation ${this.#operationId}: its status does not say it.`;
    return new ClientError('OPERATION_UNKNOWN', message);
  }

  get #name(): string {
    return `${this.#operation ?? 'operation'} ${this.#operationId}`;
  }

  #onStatus(status: OperationStatus): OperationStatus {
    this.#refusalCount = 0;
    this.#options.onStatus?.(status);
    if (status.isCompleted) {
      this.#phaseStartedAt = this.#parts.clock.now();
      this.#lastProblem = 'it was not requested in time';
    } else {
      const fraction = status.progress === undefined ? '' : ` (${Math.round(status.progress * 100)} %)`;
      this.#lastProblem = `the last status said that it is not${fraction}`;
    }
    return status;
  }

  #onFailure(outcome: Outcome<never> & { isOk: false }): NextPoll {
    const { error, kind, retryAfterMs, hadToken } = outcome;
    this.#lastProblem = error.message.replace(/\.$/, '');
    const isDefinite = hadToken && DEFINITE_STATUSES.has(error.statusCode ?? 0);
    this.#refusalCount = isDefinite ? this.#refusalCount + 1 : 0;
    if (isDefinite && !this.#isWithinLag) return this.#fail(error);
    this.#options.onFailure?.(error);
    const isOverloaded = kind === 'throttled' || kind === 'gateway' || kind === 'server';
    return { afterMs: Math.max(this.#delayMs, retryAfterMs ?? 0), isOverloaded };
  }

  /** Whether the service may not have heard of the operation, or of its end, everywhere yet. */
  get #isWithinLag(): boolean {
    const { limits, clock } = this.#parts;
    const ageMs = clock.now() - this.#phaseStartedAt;
    return ageMs < limits.lagToleranceMs || this.#refusalCount < limits.maxUnknownPolls;
  }
}
