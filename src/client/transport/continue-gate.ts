import type { ClientRequest } from 'node:http';
import { TLSSocket } from 'node:tls';

/** Wait for a `100 Continue` of a service that may not support it. The default of curl (`--expect100-timeout`). */
const UNKNOWN_SUPPORT_WAIT_MS = 1_000;
const MAX_TIMEOUTS = 3;

/** Records whether a service supports `Expect: 100-continue` (RFC 9110, section 10.1.1). */
export class ContinueSupport {
  #state: 'unknown' | 'supported' | 'unsupported' = 'unknown';
  #timeoutCount = 0;

  /** Whether requests should send the expectation. */
  get isExpected(): boolean {
    return this.#state !== 'unsupported';
  }

  get isSupported(): boolean {
    return this.#state === 'supported';
  }

  record(state: 'supported' | 'unsupported'): void {
    this.#state = state;
    this.#timeoutCount = 0;
  }

  /**
   * Counts a timeout of a service that supports the expectation. After several in a row, a different server may have
   * replaced it, and support is unknown again.
   */
  recordTimeout(): void {
    this.#timeoutCount += 1;
    if (this.#timeoutCount >= MAX_TIMEOUTS) this.#state = 'unknown';
  }
}

/**
 * Delays the body of one request until the service asks for it. A request that fails before that had no effect and can
 * be retried, even if it is not idempotent. A body that the service refuses is never sent.
 *
 * If the service has never sent a `100 Continue`, the gate opens after one second, since a client must not wait
 * indefinitely (RFC 9110, section 10.1.1). If it has, the gate calls `onTimeout` after `timeoutMs` and stays closed:
 * the service hangs, or a different server has replaced it.
 */
export class ContinueGate {
  /** Resolves when the body may be sent. Never rejects. */
  readonly opened: Promise<void>;
  readonly #support: ContinueSupport;
  #open: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #isOpen: boolean = false;

  constructor(request: ClientRequest, support: ContinueSupport, timeoutMs: number, onTimeout: () => void) {
    this.#support = support;
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    request.once('socket', (socket) => {
      const start = () => {
        // An aborted request may still be assigned a connection.
        if (!request.destroyed) this.#startTimer(timeoutMs, onTimeout);
      };
      if (socket.connecting) socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', start);
      else start();
    });
    request.once('continue', () => {
      support.record('supported');
      this.#release();
    });
    request.once('response', () => {
      clearTimeout(this.#timer);
      // The body was sent after the delay, without a `100 Continue`.
      if (this.#isOpen && !support.isSupported) support.record('unsupported');
    });
    request.once('close', () => clearTimeout(this.#timer));
  }

  /** Whether the service cannot have acted on the request. */
  get isClosed(): boolean {
    return !this.#isOpen;
  }

  #startTimer(timeoutMs: number, onTimeout: () => void): void {
    const expire = () => {
      this.#support.recordTimeout();
      onTimeout();
    };
    this.#timer = this.#support.isSupported
      ? setTimeout(expire, timeoutMs)
      : setTimeout(() => this.#release(), UNKNOWN_SUPPORT_WAIT_MS);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#isOpen = true;
    this.#open();
  }
}
