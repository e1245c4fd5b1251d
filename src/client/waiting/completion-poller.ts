import type { OperationStatus } from '../../api/index.js';
import { createResultSpec, createStatusSpec } from '../calls/operations.js';
import type { Outcome, PreparedRequest, Session } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import { type ClientLimits, MAX_TIMER_MS } from '../client-limits.js';
import { abortedError, type Clock } from '../clock.js';
import type { CloseSignal } from '../close-signal.js';
import { combineSignals, subscribeToAbort } from '../combine-signals.js';
import type { CompletedOperation, WaitOptions } from '../types.js';
import { fallbackPollIntervalMs, pollIntervalMs } from './poll-interval.js';
import type { NextPoll, PollJob, PollScheduler, PollTicket } from './poll-scheduler.js';
import { createFailedError, createUnknownTypeError } from './wait-errors.js';

/** The collaborators of a wait. */
export interface WaitDependencies {
  session: Session;
  scheduler: PollScheduler;
  limits: ClientLimits;
  clock: Clock;
  closing: CloseSignal;
  /** The waits that have not ended. */
  waits: Set<CompletionPoller>;
}

/** The callbacks that end a wait. Only the first call counts: a poll that is aborted fails after its wait has ended. */
export interface Settlement {
  resolve(completed: CompletedOperation): void;
  reject(error: unknown): void;
}

/** The minimum time between two polls that are triggered by callbacks. */
const MIN_CALLBACK_POLL_INTERVAL_MS = 1_000;

/**
 * Statuses with which the service itself rejects the request. Other statuses may be temporary or come from a proxy: an
 * expired account, a maintenance page, a redirect to a login page.
 */
const DEFINITE_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 409, 410, 411, 413, 414, 415, 422, 431]);

/**
 * Polls one operation until its result is read. Two phases: it polls the status until the operation is completed, then
 * the result until it is available. The intervals grow with the square root of the age, which minimizes the mean
 * latency for a given number of polls if the durations of operations are unknown.
 *
 * Before the deadline the wait ends only with the result, with a status that reports failure, or after repeated
 * rejections with a definite status. After any other failure (no connection, no token, refused credentials, an
 * overloaded service, an invalid reply) it polls again. A callback is only a hint: it brings the next poll forward, at
 * most one per second; the status alone decides.
 */
export class CompletionPoller implements PollJob {
  readonly deadline: number;
  readonly #dependencies: WaitDependencies;
  readonly #operationId: string;
  readonly #options: WaitOptions;
  readonly #settlement: Settlement;
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  /** The status of the completed operation. Set in the second phase. */
  #completed: OperationStatus | undefined;
  #phaseStartedAt: number;
  #operation: string | undefined;
  /** The reason in the message of a timeout. */
  #lastProblem = 'no status was received';
  /** The number of consecutive rejections with a definite status. */
  #refusalCount = 0;
  /** The start of the last poll that was triggered by a callback. */
  #callbackPolledAt = Number.NEGATIVE_INFINITY;
  #isPolling: boolean = false;
  /** Whether a callback arrived since the start of the last poll. */
  #isCalledBack: boolean = false;
  /** Whether a callback arrived since the start of the wait. */
  #wasCalledBack: boolean = false;
  #ticket: PollTicket | undefined;
  #stopListening: (() => void) | undefined;

  constructor(
    dependencies: WaitDependencies,
    operationId: string,
    operation: string | undefined,
    options: WaitOptions,
    settlement: Settlement,
  ) {
    this.#dependencies = dependencies;
    this.#operationId = operationId;
    this.#operation = operation;
    this.#options = options;
    this.#settlement = settlement;
    this.#startedAt = dependencies.clock.now();
    this.#phaseStartedAt = this.#startedAt;
    this.#timeoutMs = options.timeoutMs ?? dependencies.limits.waitTimeoutMs;
    this.deadline = this.#startedAt + this.#timeoutMs;
  }

  /** Schedules the first poll and subscribes to abort signals and callbacks. */
  start(): void {
    const { scheduler, closing, waits } = this.#dependencies;
    waits.add(this);
    const { signal, callbacks } = this.#options;
    this.#ticket = scheduler.add(this, this.#delayMs);
    subscribeToAbort(signal, this.#onAbort);
    subscribeToAbort(closing, this.#onAbort);
    this.#stopListening = callbacks?.listen(() => this.#onCallback());
  }

  #detach(): void {
    this.#dependencies.waits.delete(this);
    this.#ticket?.remove();
    try {
      this.#stopListening?.();
    } catch {
      // A failing callback source must not prevent the end of the wait.
    }
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#dependencies.closing.removeEventListener('abort', this.#onAbort);
  }

  #fail(error: unknown): undefined {
    this.#detach();
    this.#settlement.reject(error);
  }

  /** Brings the next poll forward, like a callback, if this wait is for the operation. */
  expedite(operationId: string): void {
    if (operationId.toLowerCase() === this.#operationId.toLowerCase()) this.#onCallback();
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

  /** The delay before a poll that is triggered by a callback. */
  get #callbackPollDelayMs(): number {
    return Math.max(0, this.#callbackPolledAt + MIN_CALLBACK_POLL_INTERVAL_MS - this.#dependencies.clock.now());
  }

  /** The delay before the next poll. After a callback that came before completion, no other callback is expected. */
  get #delayMs(): number {
    const { clock, limits } = this.#dependencies;
    const ageMs = clock.now() - this.#phaseStartedAt;
    const intervalMs = pollIntervalMs(ageMs, limits, clock.random);
    if (this.#completed) return intervalMs;
    if (this.#isCalledBack) return this.#callbackPollDelayMs;
    if (this.#wasCalledBack) return Math.max(intervalMs, MIN_CALLBACK_POLL_INTERVAL_MS);
    return this.#options.callbacks?.isExpected()
      ? Math.max(intervalMs, fallbackPollIntervalMs(ageMs, clock.random))
      : intervalMs;
  }

  async poll(): Promise<NextPoll> {
    const { session, clock } = this.#dependencies;
    // Another call of the account may have received a Retry-After.
    if (session.pauseMs > 0) return { afterMs: session.pauseMs };
    this.#isPolling = true;
    if (this.#isCalledBack) this.#callbackPolledAt = clock.now();
    this.#isCalledBack = false;
    const overdue = new AbortController();
    const { signal, release } = combineSignals([this.#options.signal, this.#dependencies.closing, overdue.signal]);
    // A poll that hangs must not extend the wait beyond its deadline.
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
    const { session, limits } = this.#dependencies;
    if (!this.#completed) {
      const outcome = await session.attemptOnce(createStatusSpec(this.#operationId, limits, 'poll'), signal);
      if (!outcome.isOk) return this.#onFailure(outcome);
      const status = this.#onStatus(outcome.value);
      this.#operation ??= status.operation ?? this.#options.defaultOperation;
      if (this.#operation === undefined) return this.#fail(createUnknownTypeError(this.#operationId));
      if (!status.isCompleted) return { afterMs: this.#delayMs };
      if (!status.isSuccessful) return this.#fail(createFailedError(this.#name, status));
      this.#completed = status;
    }
    const operation = this.#operation ?? '';
    const spec = createResultSpec(this.#operationId, operation, limits, 'poll');
    const prepare = (): Promise<PreparedRequest> => {
      this.#lastProblem = 'it was requested, and the service did not reply';
      return spec.prepare();
    };
    const outcome = await session.attemptOnce({ ...spec, prepare }, signal);
    if (!outcome.isOk) return this.#onFailure(outcome);
    this.#detach();
    this.#settlement.resolve({ operation, status: this.#completed, result: outcome.value });
    return undefined;
  }

  expire(): void {
    const problem = this.#completed ? 'its result was not received' : 'it was not completed';
    const reason = `${problem} within ${this.#timeoutMs / 1000} s; ${this.#lastProblem}`;
    const message = `Could not wait for ${this.#name}: ${reason}.`;
    this.#fail(new ClientError('WAIT_TIMEOUT', message));
  }

  get #name(): string {
    return `${this.#operation ?? 'operation'} ${this.#operationId}`;
  }

  #onStatus(status: OperationStatus): OperationStatus {
    this.#refusalCount = 0;
    this.#options.onStatus?.(status);
    if (status.isCompleted) {
      this.#phaseStartedAt = this.#dependencies.clock.now();
      this.#lastProblem = 'the deadline passed before it was requested';
    } else {
      const progress = status.progress === undefined ? '' : ` (${Math.round(status.progress * 100)} %)`;
      this.#lastProblem = `last status: not completed${progress}`;
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

  /** Whether parts of the service may not know the operation, or its result, yet. */
  get #isWithinLag(): boolean {
    const { limits, clock } = this.#dependencies;
    const ageMs = clock.now() - this.#phaseStartedAt;
    return ageMs < limits.lagToleranceMs || this.#refusalCount < limits.maxUnknownPolls;
  }
}
