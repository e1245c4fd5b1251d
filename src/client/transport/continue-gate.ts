import type { ClientRequest } from 'node:http';
import { TLSSocket } from 'node:tls';

/** How long a client waits for a `100 Continue` of which it does not know whether it will come: the default of curl. */
const UNKNOWN_SUPPORT_WAIT_MS = 1_000;
const MAX_TIMEOUTS = 3;

/** What a client has learned about `Expect: 100-continue` at its service (RFC 9110, section 10.1.1). */
export class ContinueSupport {
  #state: 'unknown' | 'supported' | 'unsupported' = 'unknown';
  #timeoutCount = 0;

  /** Whether a request should ask for it. */
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

  /** A service that supports it hung. Once that has happened several times in a row, another may stand in its place. */
  recordTimeout(): void {
    this.#timeoutCount += 1;
    if (this.#timeoutCount >= MAX_TIMEOUTS) this.#state = 'unknown';
  }
}

/**
 * Holds the body of one request back until the service asks for it. A request that ends before that did nothing, and can be repeated
 * whatever it starts; a body that the service refuses is never sent.
 *
 * A service that never sent a `100 Continue` gets the body after a second, as the RFC demands. One that did is given `timeoutMs`, then
 * `onTimeout` is called and the gate stays closed: it hangs, or something else stands in its place.
 */
export class ContinueGate {
  /** Resolves when the body may be sent; never rejects. */
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
        // A request that was aborted may still get its connection.
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
      // The body went without having been asked for.
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
