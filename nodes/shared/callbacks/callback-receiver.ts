import { randomBytes } from 'node:crypto';
import type { CallbackSource } from '../../../src/client/index.js';

/** After this many operations in a row without their callback, callbacks are not relied on until one arrives. */
const MAX_MISSED = 3;
/**
 * Maximum number of expected callbacks. The oldest are removed first; their operations are polled as if they had none.
 */
const MAX_EXPECTED = 20_000;
/** Number of finished operations that are remembered: a late callback shows that callbacks do arrive. */
const MAX_FINISHED = 1_000;

/**
 * Tracks whether the callbacks of a service arrive. Calls `onLost` when `MAX_MISSED` in a row have not.
 * `isAssumedHealthy`: whether callbacks are relied on before the first one has arrived.
 */
export class CallbackHealth {
  readonly #onLost: () => void;
  #missedInRow: number;

  constructor(onLost: () => void, isAssumedHealthy = true) {
    this.#onLost = onLost;
    this.#missedInRow = isAssumedHealthy ? 0 : MAX_MISSED;
  }

  /** Whether callbacks can be relied on. */
  get isHealthy(): boolean {
    return this.#missedInRow < MAX_MISSED;
  }

  /** Records that a callback arrived. */
  recordArrival(): void {
    this.#missedInRow = 0;
  }

  /** Records that an operation completed without its callback. */
  recordMiss(): void {
    this.#missedInRow += 1;
    if (this.#missedInRow === MAX_MISSED) this.#onLost();
  }
}

/** The callback that is expected for one start of an operation. */
export interface ExpectedCallback {
  /** The last segment of its URL: 128 random bits in hexadecimal digits. */
  token: string;
  /** Assigns the callback to the operation that was started. */
  bind(operationId: string): void;
  /** Removes the callback, because the start failed. */
  cancel(): void;
}

interface CallbackEntry {
  token: string;
  owner: string;
  health: CallbackHealth;
  operationId: string | undefined;
  hasArrived: boolean;
  listeners: Set<() => void>;
}

/**
 * Matches incoming callbacks with the waits for their operations. Each start has its own unguessable URL, and only that
 * URL counts, not the content of the callback: a sender who does not know it cannot cause any request to the service. A
 * callback may arrive before the reply to its start.
 */
export class CallbackReceiver {
  /** Token → entry, oldest first. */
  readonly #byToken = new Map<string, CallbackEntry>();
  /** Operation id → entry. */
  readonly #byOperation = new Map<string, CallbackEntry>();
  /** Token of a finished operation → health of its service, oldest first. */
  readonly #finished = new Map<string, CallbackHealth>();

  /** Registers a callback for an operation that is about to be started. `owner`: who can withdraw it. */
  expect(health: CallbackHealth, owner: string): ExpectedCallback {
    const token = randomBytes(16).toString('hex');
    const listeners = new Set<() => void>();
    const entry: CallbackEntry = { token, owner, health, operationId: undefined, hasArrived: false, listeners };
    this.#byToken.set(token, entry);
    const [oldest] = this.#byToken.values();
    if (this.#byToken.size > MAX_EXPECTED && oldest) this.#remove(oldest);
    return {
      token,
      bind: (operationId) => {
        if (!this.#byToken.has(token)) return;
        entry.operationId = operationId;
        this.#byOperation.set(operationId, entry);
      },
      cancel: () => this.#remove(entry),
    };
  }

  /** Handles a request to the URL with this token. Returns whether the URL is valid: it exists and is not withdrawn. */
  receive(token: string): boolean {
    this.#finished.get(token)?.recordArrival();
    const entry = this.#byToken.get(token);
    if (!entry) return this.#finished.has(token);
    entry.hasArrived = true;
    entry.health.recordArrival();
    for (const listener of [...entry.listeners]) listener();
    return true;
  }

  /** Returns the source of callbacks for an operation, or `undefined` if none are expected. */
  sourceFor(operationId: string): CallbackSource | undefined {
    const entry = this.#byOperation.get(operationId);
    if (!entry) return undefined;
    return {
      isExpected: () => entry.health.isHealthy && this.#byOperation.get(operationId) === entry,
      listen: (onCallback) => {
        entry.listeners.add(onCallback);
        if (entry.hasArrived) onCallback();
        return () => entry.listeners.delete(onCallback);
      },
    };
  }

  /** Withdraws the URLs of an owner, or the URL of one operation: nobody waits for their callbacks any more. */
  withdraw({
    owner,
    operationId,
  }: { owner: string; operationId?: never } | { owner?: never; operationId: string }): void {
    const entries = operationId === undefined ? this.#byToken.values() : [this.#byOperation.get(operationId)];
    for (const entry of [...entries]) if (entry && (owner === undefined || entry.owner === owner)) this.#remove(entry);
  }

  /**
   * Stops expecting the callback of a completed operation. If it has not arrived, it counts as missed, and its URL stays
   * valid for some time.
   */
  complete(operationId: string): void {
    const entry = this.#byOperation.get(operationId);
    if (!entry) return;
    if (!entry.hasArrived) entry.health.recordMiss();
    this.#remove(entry);
    this.#finished.set(entry.token, entry.health);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > MAX_FINISHED && oldest !== undefined) this.#finished.delete(oldest);
  }

  #remove({ token, operationId }: CallbackEntry): void {
    this.#byToken.delete(token);
    if (operationId !== undefined) this.#byOperation.delete(operationId);
  }
}
