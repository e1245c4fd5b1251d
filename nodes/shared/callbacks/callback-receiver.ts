import { randomBytes } from 'node:crypto';
import type { CallbackSource } from '../../../src/client/index.js';

/** Operations in a row that completed without their callback: then callbacks are not counted on, until one arrives. */
const MAX_MISSED = 3;
/** Callbacks that may be expected at once. The oldest go first; their operations are looked at as if there were none. */
const MAX_EXPECTED = 20_000;
/** Of the operations that are over the last ones are remembered: a late callback shows that callbacks do arrive. */
const MAX_FINISHED = 1_000;

/** Whether the callbacks of a service reach us. `onLost` is called when it turns out that they do not. */
export class CallbackHealth {
  readonly #onLost: () => void;
  #missedInRow = 0;

  constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  get isHealthy(): boolean {
    return this.#missedInRow < MAX_MISSED;
  }

  recordArrival(): void {
    this.#missedInRow = 0;
  }

  recordMiss(): void {
    this.#missedInRow += 1;
    if (this.#missedInRow === MAX_MISSED) this.#onLost();
  }
}

/** The callback of one start. */
export interface ExpectedCallback {
  /** The last part of its address: 128 random bits, in hexadecimal digits. */
  token: string;
  /** The start was answered: it is for this operation. */
  bind(operationId: string): void;
  /** The start failed. */
  cancel(): void;
}

interface Expected {
  token: string;
  trust: CallbackHealth;
  operationId: string | undefined;
  hasArrived: boolean;
  listeners: Set<() => void>;
}

/**
 * Knows which callbacks are to be expected, and who waits for them. A start has an address of its own, so nothing of a callback but its
 * address counts; who does not know it cannot make us ask the service for anything. A callback may come before the start is answered.
 */
export class CallbackReceiver {
  readonly #expected = new Map<string, Expected>();
  readonly #byOperation = new Map<string, Expected>();
  readonly #over = new Map<string, CallbackHealth>();

  expect(trust: CallbackHealth): ExpectedCallback {
    const token = randomBytes(16).toString('hex');
    const expected: Expected = { token, trust, operationId: undefined, hasArrived: false, listeners: new Set() };
    this.#expected.set(token, expected);
    const [oldest] = this.#expected.values();
    if (this.#expected.size > MAX_EXPECTED && oldest) this.#remove(oldest);
    return {
      token,
      bind: (operationId) => {
        if (!this.#expected.has(token)) return;
        expected.operationId = operationId;
        this.#byOperation.set(operationId, expected);
      },
      cancel: () => this.#remove(expected),
    };
  }

  /** A request came to this address. */
  arrive(token: string): void {
    this.#over.get(token)?.recordArrival();
    const expected = this.#expected.get(token);
    if (!expected) return;
    expected.hasArrived = true;
    expected.trust.recordArrival();
    for (const listener of [...expected.listeners]) listener();
  }

  /** The callbacks for an operation; `undefined` where none is expected. */
  sourceFor(operationId: string): CallbackSource | undefined {
    const expected = this.#byOperation.get(operationId);
    if (!expected) return undefined;
    return {
      isExpected: () => expected.trust.isHealthy && this.#byOperation.get(operationId) === expected,
      listen: (onCallback) => {
        expected.listeners.add(onCallback);
        if (expected.hasArrived) onCallback();
        return () => expected.listeners.delete(onCallback);
      },
    };
  }

  /** The operation is over; `isCompleted`: it has completed, so that its callback should have come. */
  end(operationId: string, isCompleted: boolean): void {
    const expected = this.#byOperation.get(operationId);
    if (!expected) return;
    if (isCompleted && !expected.hasArrived) expected.trust.recordMiss();
    this.#remove(expected);
    this.#over.set(expected.token, expected.trust);
    const [oldest] = this.#over.keys();
    if (this.#over.size > MAX_FINISHED && oldest !== undefined) this.#over.delete(oldest);
  }

  #remove({ token, operationId }: Expected): void {
    this.#expected.delete(token);
    if (operationId !== undefined) this.#byOperation.delete(operationId);
  }
}
