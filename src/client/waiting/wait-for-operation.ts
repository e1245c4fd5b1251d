import type { OperationStatus } from '../../api/index.js';
import { resultSpec, statusSpec } from '../calls/operations.js';
import type { Outcome, Session } from '../calls/session.js';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { abortedError, type Clock } from '../clock.js';
import { followSignals } from '../follow-signals.js';
import { quote } from '../replies/read-refusal.js';
import type { OperationResult, WaitOptions } from '../types.js';
import type { NextLook, PollJob, PollScheduler } from './poll-scheduler.js';

/** What a wait works with. */
export interface WaitParts {
  session: Session;
  scheduler: PollScheduler;
  limits: ClientLimits;
  clock: Clock;
}

/** A longer timer of Node's is over at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Looks at an operation until it is completed, then reads its result. */
export async function waitForOperation(
  parts: WaitParts,
  operationId: string,
  operation: string,
  options: WaitOptions & { signal: AbortSignal },
): Promise<{ status: OperationStatus; result: OperationResult }> {
  const resultCall = resultSpec(operationId, operation, parts.limits);
  const status = await completion(parts, operationId, operation, options);
  if (!status.isSuccessful) {
    const reason = status.error ? `: ${quote(status.error.message)}` : ', and the service gave no reason';
    const message = `The ${operation} ${operationId} failed${reason}.`.replace(/([.!?…])\.$/, '$1');
    throw new ClientError('OPERATION_FAILED', message, { report: status.report });
  }
  return { status, result: await resultOf(parts, resultCall, options.signal) };
}

/** How the looks at an operation end. The first call counts: a look that an abort ends comes after the abort itself. */
interface Ending {
  complete(status: OperationStatus): void;
  fail(error: unknown): void;
}

/** The first status record that says "completed". */
function completion(
  parts: WaitParts,
  operationId: string,
  operation: string,
  options: WaitOptions & { signal: AbortSignal },
): Promise<OperationStatus> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const leave = () => {
      remove();
      signal.removeEventListener('abort', onAbort);
    };
    const end: Ending = {
      complete: (status) => {
        leave();
        resolve(status);
      },
      fail: (error) => {
        leave();
        reject(error);
      },
    };
    const onAbort = () => end.fail(abortedError(`The wait for ${operation} ${operationId}`));
    const job = new CompletionJob(parts, operationId, operation, options, end);
    const remove = parts.scheduler.add(job, lookDelayMs(0, parts.limits, parts.clock.random));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * The looks at one operation. Pauses between them grow with the square root of its age, which gives the least mean latency
 * for a number of looks when nothing is known about how long operations take. What is expected to pass (no connection, an
 * overloaded service, a reply that makes no sense) ends no wait before its deadline.
 */
class CompletionJob implements PollJob {
  readonly deadline: number;
  readonly #parts: WaitParts;
  readonly #operationId: string;
  readonly #operation: string;
  readonly #options: WaitOptions & { signal: AbortSignal };
  readonly #end: Ending;
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  #last = 'its status could not be read';
  #unknownCount = 0;

  constructor(
    parts: WaitParts,
    operationId: string,
    operation: string,
    options: WaitOptions & { signal: AbortSignal },
    end: Ending,
  ) {
    this.#parts = parts;
    this.#operationId = operationId;
    this.#operation = operation;
    this.#options = options;
    this.#end = end;
    this.#startedAt = parts.clock.now();
    this.#timeoutMs = options.timeoutMs ?? parts.limits.waitTimeoutMs;
    this.deadline = this.#startedAt + this.#timeoutMs;
  }

  async look(): Promise<NextLook> {
    const { session, limits, clock } = this.#parts;
    // Somebody else's call may have been asked to leave the service alone for a while.
    if (session.pauseMs > 0) return { afterMs: session.pauseMs };
    const overdue = new AbortController();
    const { signal, release } = followSignals([this.#options.signal, overdue.signal]);
    // A look that hangs must not carry the wait over its deadline.
    const timer = setTimeout(() => overdue.abort(), Math.min(this.deadline - clock.now(), MAX_TIMER_MS));
    try {
      const outcome = await session.tryOnce(statusSpec(this.#operationId, limits), signal);
      return outcome.isOk ? this.#onStatus(outcome.value) : this.#onFailure(outcome);
    } catch (error) {
      if (overdue.signal.aborted) this.expire();
      else this.#end.fail(error);
      return undefined;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  expire(): void {
    const message = `The ${this.#operation} ${this.#operationId} was not completed within ${this.#timeoutMs / 1000} s: ${this.#last}.`;
    this.#end.fail(new ClientError('WAIT_TIMEOUT', message));
  }

  #onStatus(status: OperationStatus): NextLook {
    this.#unknownCount = 0;
    this.#options.onStatus?.(status);
    if (status.isCompleted) {
      this.#end.complete(status);
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
      this.#end.fail(error);
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

  get #delayMs(): number {
    const { clock, limits } = this.#parts;
    return lookDelayMs(clock.now() - this.#startedAt, limits, clock.random);
  }
}

/** The pause before the next look at an operation of this age: 0.5 * sqrt(age in s) s within the limits, +-10 %. */
export function lookDelayMs(ageMs: number, limits: ClientLimits, random: () => number): number {
  const plainMs = 500 * Math.sqrt(ageMs / 1000);
  const boundedMs = Math.min(Math.max(plainMs, limits.pollMinMs), limits.pollMaxMs);
  return boundedMs * (0.9 + 0.2 * random());
}

/** The result; for a while after the completion a service may not have it everywhere yet. */
async function resultOf(
  { session, limits, clock }: WaitParts,
  call: ReturnType<typeof resultSpec>,
  signal: AbortSignal,
): Promise<OperationResult> {
  const until = clock.now() + limits.lagToleranceMs;
  for (;;) {
    try {
      return await session.call(call, signal);
    } catch (error) {
      const isLag = error instanceof ClientError && (error.statusCode === 404 || error.statusCode === 409);
      const pauseMs = 2 * limits.pollMinMs;
      if (!isLag || clock.now() + pauseMs > until) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}
