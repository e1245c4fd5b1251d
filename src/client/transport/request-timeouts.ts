import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AttemptFailure } from './attempt-failure.js';
import type { ContinueGate } from './continue-gate.js';
import { deferWriteErrors } from './defer-write-errors.js';

/** The timeouts of one request: `totalMs` for small requests, `idleMs` and `replyMs` for transfers. */
export type TimeoutOptions = { connectMs: number } & ({ totalMs: number } | { idleMs: number; replyMs: number });

/**
 * Enforces the timeouts of one request, from the moment it is assigned a socket. Waiting for a free socket has no
 * timeout: only other requests of the same client cause it. States:
 * 1. *connecting*, for at most `connectMs`. A request with `totalMs` then has only that timeout.
 * 2. *sending*: fails after `idleMs` without a sent byte.
 * 3. *waiting*, from the last sent byte to the first byte of the reply: fails after `replyMs`.
 * 4. *receiving*: fails after `idleMs` without a received byte.
 *
 * Idle time is measured by `net.Socket#setTimeout`. It registers partial writes, so a slow connection that sends a
 * large chunk in small parts is not idle.
 */
export class RequestTimeouts {
  /** The reason why the request was ended here, by a timeout or an abort. */
  failure: AttemptFailure | undefined;
  /** Whether a connection was established. Before that, the service received nothing. */
  isConnected: boolean = false;
  /** Whether the request uses a keep-alive connection of an earlier request. */
  isReused: boolean = false;
  hasReply: boolean = false;
  /** Delays the body until the service asks for it. Undefined if the request has no such expectation. */
  gate: ContinueGate | undefined;
  readonly #times: TimeoutOptions;
  readonly #connected: WeakSet<Socket>;
  #request: ClientRequest | undefined;
  #reply: IncomingMessage | undefined;
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded: boolean = false;

  /** `connected` holds all sockets of the transport that were ever connected. The socket of this request is added. */
  constructor(times: TimeoutOptions, connected: WeakSet<Socket>) {
    this.#times = times;
    this.#connected = connected;
  }

  /** Whether the service cannot have acted on the request: there was no connection, or the body was not sent. */
  get isUnsent(): boolean {
    return !this.isConnected || (!this.hasReply && this.gate?.isClosed === true);
  }

  /** Starts to observe a request. Call it once, before the request is sent. */
  attach(request: ClientRequest): void {
    this.#request = request;
    if (this.failure) request.destroy(this.failure);
    request.once('socket', (socket) => this.#onSocket(socket));
    request.once('finish', () => this.#onSent());
    request.once('response', (reply) => this.#onReply(reply));
  }

  /** Ends the request in any state. If called again, the first failure is kept. */
  fail(failure: AttemptFailure): void {
    if (this.#isEnded) return;
    this.failure ??= failure;
    this.#request?.destroy(this.failure);
    this.#reply?.destroy(this.failure);
  }

  /** Stops observing and clears all timers. Closes the connection if request or reply are incomplete. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#socket?.removeListener('timeout', this.#onIdle);
    const isComplete = this.#request?.writableFinished && this.#reply?.complete && this.#reply.readableEnded;
    if (!isComplete) {
      this.#request?.destroy();
      this.#reply?.destroy();
    }
  }

  #onSocket(socket: Socket): void {
    this.#socket = socket;
    this.isReused = this.#connected.has(socket);
    // Small requests are sent in one write, so no later write can fail.
    if (!this.isReused && 'idleMs' in this.#times) deferWriteErrors(socket);
    if ('totalMs' in this.#times) this.#startTimer(this.#times.totalMs, 'no reply');
    const isSecure = socket instanceof TLSSocket;
    if (this.isReused || !(isSecure || socket.connecting)) {
      this.#onConnected(socket);
      return;
    }
    if (!('totalMs' in this.#times) || this.#times.totalMs > this.#times.connectMs) {
      this.#startTimer(this.#times.connectMs, 'no connection');
    }
    socket.once(isSecure ? 'secureConnect' : 'connect', () => this.#onConnected(socket));
  }

  #onConnected(socket: Socket): void {
    if (this.#isEnded) return;
    this.#connected.add(socket);
    this.isConnected = true;
    clearTimeout(this.#timer);
    if ('totalMs' in this.#times) this.#startTimer(this.#times.totalMs, 'no reply');
    else if (this.#request?.writableFinished) this.#onSent();
    // axios resets the timeout of the socket later in the same tick.
    else process.nextTick(() => this.#watchIdle());
  }

  #onSent(): void {
    // An aborted request may still finish writing.
    if (this.#isEnded || this.hasReply || !('replyMs' in this.#times) || !this.isConnected) return;
    this.#socket?.setTimeout(0);
    this.#startTimer(this.#times.replyMs, 'no reply');
  }

  #onReply(reply: IncomingMessage): void {
    this.hasReply = true;
    this.#reply = reply;
    // An unhandled error of a truncated reply would terminate the process.
    reply.on('error', () => {});
    if (!('idleMs' in this.#times)) return;
    clearTimeout(this.#timer);
    this.#watchIdle();
    // The agent reuses the connection: it must not keep this timeout.
    reply.once('end', () => {
      this.#socket?.removeListener('timeout', this.#onIdle);
      this.#socket?.setTimeout(0);
    });
  }

  #watchIdle(): void {
    if (this.#isEnded || !('idleMs' in this.#times)) return;
    this.#socket?.removeListener('timeout', this.#onIdle);
    this.#socket?.on('timeout', this.#onIdle);
    if (this.hasReply || !this.#request?.writableFinished) this.#socket?.setTimeout(this.#times.idleMs);
  }

  readonly #onIdle = () => {
    if (!('idleMs' in this.#times)) return;
    // Unread bytes of a reply: the consumer is slow, not the connection. Until the body is sent, the gate has the
    // timeout; after it, `replyMs` applies.
    const isNotSending = this.#request?.writableFinished || this.gate?.isClosed;
    const isIdleAllowed = this.#reply ? this.#reply.readableLength > 0 : isNotSending;
    if (isIdleAllowed) this.#socket?.setTimeout(this.#times.idleMs);
    else this.fail(this.#timeout(this.#times.idleMs, 'no data transferred'));
  };

  #startTimer(ms: number, event: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.fail(this.#timeout(ms, event)), ms);
  }

  /** `event`: what did not happen in time, such as `no reply`. */
  #timeout(ms: number, event: string): AttemptFailure {
    return new AttemptFailure(this.isUnsent ? 'unsent' : 'hung', 'TIMEOUT', `${event} within ${ms / 1000} s`);
  }
}
