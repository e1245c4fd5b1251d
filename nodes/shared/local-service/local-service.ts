import type { Account, ClientError } from '../../../src/client/index.js';
import { delay } from '../delay.js';
import { createNodeError } from '../node/flow-error.js';
import { describeExit, describeStartFailure } from './describe-exit.js';
import { isServiceAlive, readLocalCredentials } from './local-credentials.js';
import {
  EXIT_LOCKED,
  EXIT_NO_NATIVE_CODE,
  isProgramPresent,
  LOCAL_PROGRAM,
  type LocalSettings,
  type ProgramExit,
  type RunningProgram,
  type StartProgram,
  startProgram,
} from './local-program.js';
import { LOCAL_SERVICE_TIMES } from './local-service-times.js';
import { type LogLine, readLogLine } from './service-log.js';

/** What flow nodes show while the service cannot serve; `undefined`: nothing. */
export type ServiceNotice = 'restarting' | 'locked' | undefined;

/** The settings and dependencies of a `LocalService`. */
export interface LocalServiceOptions {
  settings: LocalSettings;
  log: (line: LogLine) => void;
  /** Resolves when an earlier service of the same folder has ended. */
  predecessorEnd?: Promise<void>;
  start?: StartProgram;
  isPresent?: () => boolean;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  now?: () => number;
}

type Phase =
  | { name: 'idle' }
  | { name: 'starting' }
  | { name: 'serving'; account: Account }
  | { name: 'refused'; error: ClientError };

/**
 * Runs the local service of one data folder as a child process.
 *
 * States:
 * - *idle*: not started. The first `account()` starts a loop that keeps the service running until `close()`.
 * - *starting*: the program was started, or will be after a delay. Calls of `account()` wait, at most `startTimeoutMs`.
 * - *serving*: the program has printed its address.
 * - *refused*: calls of `account()` fail.
 *
 * The exit of the program determines the next state:
 * - Exit status 3, the folder is locked. If the service that holds the lock replies at the address in
 *   `credentials.json`, it is shared (*serving*) until it no longer replies, and is never stopped. Otherwise the state
 *   is *starting*, and after `lockGraceMs` *refused* with `SERVICE_LOCKED`. The program is started again after a delay.
 * - Exit status 4, a native module cannot be loaded, or another exit status before the address was printed: *refused*
 *   with `LOCAL_UNAVAILABLE`. The loop ends; the first `account()` after a delay starts it again.
 * - Any other exit is a crash: *starting*, and the program is started again after a delay. The service recovers its
 *   unfinished operations itself.
 *
 * Delays double after each start, and begin at the minimum again once the service has served for `recoveredMs`.
 */
export class LocalService {
  readonly #options: Required<LocalServiceOptions>;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  #phase: Phase = { name: 'idle' };
  #notice: ServiceNotice;
  #program: RunningProgram | undefined;
  #loop: Promise<void> | undefined;
  #backoffCount = 0;
  #lockedSince: number | undefined;
  #nextStartAt = Number.NEGATIVE_INFINITY;

  constructor(options: LocalServiceOptions) {
    this.#options = {
      predecessorEnd: Promise.resolve(),
      start: startProgram,
      isPresent: isProgramPresent,
      sleep: delay,
      now: () => performance.now(),
      ...options,
    };
  }

  /** What flow nodes show while the service cannot serve; `undefined`: nothing. */
  get notice(): ServiceNotice {
    return this.#notice;
  }

  /** Whether the service replies without being started first. */
  get isServing(): boolean {
    return this.#phase.name === 'serving';
  }

  /** Calls `listener` whenever the state or `notice` has changed. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the address and the credentials of the service, after starting it if necessary. Throws `LOCAL_UNAVAILABLE`,
   * `SERVICE_LOCKED`, or `ABORTED` if `signal` aborts first.
   */
  async account(signal: AbortSignal): Promise<Account> {
    this.#wake();
    if (this.#phase.name === 'starting') await this.#waitForStart(signal);
    if (this.#phase.name === 'serving') return this.#phase.account;
    if (this.#phase.name === 'refused') throw this.#phase.error;
    throw createNodeError('LOCAL_UNAVAILABLE', 'The local service has been stopped.');
  }

  /** Stops the program and waits for its end. Kills it after `stopTimeoutMs`. A shared service is not stopped. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#program?.stop();
    const ended = new AbortController();
    const killing = this.#options.sleep(LOCAL_SERVICE_TIMES.stopTimeoutMs, ended.signal).then(() => {
      if (!ended.signal.aborted) this.#program?.kill();
    });
    await this.#loop;
    ended.abort();
    await killing;
    this.#setPhase({ name: 'idle' }, undefined);
  }

  #wake(): void {
    if (this.#loop || this.#closing.signal.aborted || this.#options.now() < this.#nextStartAt) return;
    this.#setPhase({ name: 'starting' }, this.#notice);
    this.#loop = this.#supervise()
      // The operating system refused to start the program. No caller handles the rejection of this promise.
      .catch((error: unknown) =>
        this.#markUnavailable(`its program could not be started: ${Object(error).message ?? error}`),
      )
      .finally(() => {
        this.#loop = undefined;
      });
  }

  async #supervise(): Promise<void> {
    const { predecessorEnd, isPresent, settings } = this.#options;
    await predecessorEnd;
    while (!this.#closing.signal.aborted) {
      if (!isPresent()) return this.#markUnavailable(`its program ${LOCAL_PROGRAM} is missing. Reinstall the package.`);
      const startedAt = this.#options.now();
      const { end, hasServed } = await this.#runOnce();
      if (this.#closing.signal.aborted) return;
      if (hasServed && this.#options.now() - startedAt >= LOCAL_SERVICE_TIMES.recoveredMs) this.#backoffCount = 0;
      if (end.exitStatus === EXIT_LOCKED) {
        await this.#useRunningService();
      } else if (end.exitStatus === EXIT_NO_NATIVE_CODE) {
        return this.#markUnavailable(`its native code could not be loaded: ${readLogLine(end.lastLine).message}`);
      } else if (!hasServed && end.exitStatus !== undefined) {
        return this.#markUnavailable(describeStartFailure(settings, end));
      } else {
        this.#options.log({
          level: 'error',
          message: `Local service exited (${describeExit(end)}); restarting it`,
        });
        this.#setPhase({ name: 'starting' }, 'restarting');
      }
      await this.#options.sleep(this.#nextBackoffMs(), this.#closing.signal);
    }
  }

  // Runs the program once, from its start to its exit.
  async #runOnce(): Promise<{ end: ProgramExit; hasServed: boolean }> {
    const { start, settings, log } = this.#options;
    const program = start(settings, (line) => log(readLogLine(line)));
    this.#program = program;
    const baseUrl = await program.baseUrl;
    const credentials = baseUrl === undefined ? undefined : await readLocalCredentials(settings.dataDir);
    const hasServed = baseUrl !== undefined && credentials !== undefined && !this.#closing.signal.aborted;
    if (hasServed) this.#setPhase({ name: 'serving', account: { ...credentials, baseUrl } }, undefined);
    // `close` may have been called before there was a program to stop.
    else program.stop();
    const end = await program.end;
    this.#program = undefined;
    return { end, hasServed };
  }

  // Another service holds the folder: uses that one as long as it replies.
  async #useRunningService(): Promise<void> {
    const { settings, sleep, log, now } = this.#options;
    const { signal } = this.#closing;
    const credentials = await readLocalCredentials(settings.dataDir);
    if (credentials && (await isServiceAlive(credentials, signal))) {
      log({ level: 'info', message: `Sharing the local service of another Node-RED, data folder ${settings.dataDir}` });
      this.#backoffCount = 0;
      this.#setPhase({ name: 'serving', account: credentials }, undefined);
      while (!signal.aborted && (await isServiceAlive(credentials, signal)))
        await sleep(LOCAL_SERVICE_TIMES.sharedCheckMs, signal);
      if (!signal.aborted) this.#setPhase({ name: 'starting' }, 'restarting');
      return;
    }
    const message = `The data folder ${settings.dataDir} is in use by another service that does not reply. Stop it, or set a different dataDir in settings.js.`;
    if (this.#notice !== 'locked') log({ level: 'warn', message });
    this.#lockedSince ??= now();
    const isWithinGracePeriod = now() - this.#lockedSince < LOCAL_SERVICE_TIMES.lockGraceMs;
    this.#setPhase(
      isWithinGracePeriod
        ? { name: 'starting' }
        : { name: 'refused', error: createNodeError('SERVICE_LOCKED', message) },
      'locked',
    );
  }

  #markUnavailable(reason: string): void {
    this.#nextStartAt = this.#options.now() + this.#nextBackoffMs();
    const message = `The local service cannot run on ${process.platform} ${process.arch}: ${reason}`;
    this.#setPhase({ name: 'refused', error: createNodeError('LOCAL_UNAVAILABLE', message) }, undefined);
  }

  #nextBackoffMs(): number {
    const ms = Math.min(LOCAL_SERVICE_TIMES.maxBackoffMs, LOCAL_SERVICE_TIMES.minBackoffMs * 2 ** this.#backoffCount);
    this.#backoffCount += 1;
    return ms;
  }

  #setPhase(phase: Phase, notice: ServiceNotice): void {
    this.#phase = phase;
    this.#notice = notice;
    if (phase.name === 'serving') this.#lockedSince = undefined;
    for (const listener of this.#listeners) listener();
  }

  #waitForStart(signal: AbortSignal): Promise<void> {
    const abortOrTimeout = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_SERVICE_TIMES.startTimeoutMs)]);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        stopListening();
        const message = `Could not start the local service: it was not ready within ${LOCAL_SERVICE_TIMES.startTimeoutMs} ms. See the log of Node-RED.`;
        reject(
          signal.aborted
            ? createNodeError('ABORTED', 'The node is closing.')
            : createNodeError('LOCAL_UNAVAILABLE', message),
        );
      };
      const stopListening = this.onChange(() => {
        if (this.#phase.name === 'starting') return;
        stopListening();
        abortOrTimeout.removeEventListener('abort', onAbort);
        resolve();
      });
      if (abortOrTimeout.aborted) onAbort();
      else abortOrTimeout.addEventListener('abort', onAbort, { once: true });
    });
  }
}
