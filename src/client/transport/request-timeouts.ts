import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AttemptFailure } from './attempt-failure.js';
import type { ContinueGate } from './continue-gate.js';
import { deferWriteErrors } from './defer-write-errors.js';

/** The time-outs of one request, in ms: `totalMs` for small ones, `idleTimeoutMs` and `replyMs` for those with a large body. */
export type TimeoutOptions = { connectMs: number } & ({ totalMs: number } | { idleMs: number; replyMs: number });

/**
 * Watches one request from the moment it has a connection. A request with a total time-out has that and no more. One with a
 * large body goes through phases: while its own bytes go out, they must not stand still for `idleTimeoutMs`; from its last byte
 * `replyMs` run until the reply begins; while the reply's bytes come in, they must not stand still for `idleTimeoutMs`. Waiting for
 * a free connection counts as nothing, since only our own other requests are in the way.
 *
 * Standing still is what `net.Socket#setTimeout` sees: it counts parts of a write that went out, so a slow line that moves a
 * large chunk in small steps is not taken for a dead one.
 */
export class RequestTimeouts {
  /** Why the watch itself ended the request. */
  failure: AttemptFailure | undefined;
  /** Did a connection come to be? Before that, the service saw nothing. */
  isConnected: boolean = false;
  /** Did the request go over a connection that an earlier one had left open? */
  isReused: boolean = false;
  hasReply: boolean = false;
  /** Holds the body back, where the service is to ask for it first. */
  gate: ContinueGate | undefined;
  readonly #times: TimeoutOptions;
  readonly #connected: WeakSet<Socket>;
  #request: ClientRequest | undefined;
  #reply: IncomingMessage | undefined;
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded: boolean = false;

  /** `connected`: the sockets of the same transport that stood before; the watch adds its own. */
  constructor(times: TimeoutOptions, connected: WeakSet<Socket>) {
    this.#times = times;
    this.#connected = connected;
  }

  /** Whether the service cannot have acted on the request: it has no connection, or not its body. */
  get isUnsent(): boolean {
    return !this.isConnected || (!this.hasReply && this.gate?.isClosed === true);
  }

  /** Begins to watch. Called once, before the request goes out. */
  attach(request: ClientRequest): void {
    this.#request = request;
    if (this.failure) request.destroy(this.failure);
    request.once('socket', (socket) => this.#onSocket(socket));
    request.once('finish', () => this.#onSent());
    request.once('response', (reply) => this.#onReply(reply));
  }

  /** Ends the request with this failure, whatever it is doing. The first failure counts. */
  fail(failure: AttemptFailure): void {
    if (this.#isEnded) return;
    this.failure ??= failure;
    this.#request?.destroy(this.failure);
    this.#reply?.destroy(this.failure);
  }

  /** Stops watching and leaves no timer. What was not sent or read to its end is dropped with its connection. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#socket?.removeListener('timeout', this.#onStandstill);
    const isWhole = this.#request?.writableFinished && this.#reply?.complete && this.#reply.readableEnded;
    if (!isWhole) {
      this.#request?.destroy();
      this.#reply?.destroy();
    }
  }

  #onSocket(socket: Socket): void {
    this.#socket = socket;
    this.isReused = this.#connected.has(socket);
    // Small requests are written at once, with nothing to fail afterwards.
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
    // axios switches the socket's own time-out off in the same turn, after this.
    else process.nextTick(() => this.#watchIdle());
  }

  #onSent(): void {
    // A request that was aborted may still be written to its end.
    if (this.#isEnded || this.hasReply || !('replyMs' in this.#times) || !this.isConnected) return;
    this.#socket?.setTimeout(0);
    this.#startTimer(this.#times.replyMs, 'no reply');
  }

  #onReply(reply: IncomingMessage): void {
    this.hasReply = true;
    this.#reply = reply;
    // A reply that is cut off while nobody reads it must not end the process.
    reply.on('error', () => {});
    if (!('idleMs' in this.#times)) return;
    clearTimeout(this.#timer);
    this.#watchIdle();
    // The connection goes back to its agent with no time-out of ours on it.
    reply.once('end', () => {
      this.#socket?.removeListener('timeout', this.#onStandstill);
      this.#socket?.setTimeout(0);
    });
  }

  #watchIdle(): void {
    if (this.#isEnded || !('idleMs' in this.#times)) return;
    this.#socket?.removeListener('timeout', this.#onStandstill);
    this.#socket?.on('timeout', this.#onStandstill);
    if (this.hasReply || !this.#request?.writableFinished) this.#socket?.setTimeout(this.#times.idleMs);
  }

  readonly #onStandstill = () => {
    if (!('idleMs' in this.#times)) return;
    // Bytes that wait for us to take them: our own disk is slow, not the line. A body that is held back has a time-out of its own.
    const isHeldBack = this.#request?.writableFinished || this.gate?.isClosed;
    const isOurs = this.#reply ? this.#reply.readableLength > 0 : isHeldBack;
    if (isOurs) this.#socket?.setTimeout(this.#times.idleMs);
    else this.fail(this.#timeout(this.#times.idleMs, 'no byte moved'));
  };

  #startTimer(ms: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.fail(this.#timeout(ms, what)), ms);
  }

  #timeout(ms: number, what: string): AttemptFailure {
    return new AttemptFailure(this.isUnsent ? 'unsent' : 'hung', 'TIMEOUT', `${what} within ${ms / 1000} s`);
  }
}
