import type { Account, ClientError } from '../../../src/client/index.js';
import { delay } from '../delay.js';
import { createNodeError } from '../node/flow-error.js';
import { describeExit, describeSpawnFailure, describeStartFailure } from './describe-exit.js';
import { isServiceAlive, type LocalCredentials, readLocalCredentials } from './local-credentials.js';
import {
  EXIT_LOCKED,
  EXIT_NO_NATIVE_CODE,
  isProgramPresent,
  LOCAL_PROGRAM,
  type LocalSettings,
  type ProgramExit,
  type ProgramStarter,
  type RunningProgram,
  startProgram,
} from './local-program.js';
import { LOCAL_SERVICE_TIMES } from './local-service-times.js';
import { type LogLine, readLogLine } from './service-log.js';

/** The key of the status text while the service restarts or its data folder is locked. `undefined`: no notice. */
export type ServiceNotice = 'restarting' | 'locked' | undefined;

/** The settings and dependencies of a `LocalService`. */
export interface LocalServiceOptions {
  settings: LocalSettings;
  log: (line: LogLine) => void;
  /** Resolves when the previous service of the same folder has ended. Default: there was none. */
  predecessorEnd?: Promise<void>;
  start?: ProgramStarter;
  /** Returns whether the program is installed. */
  isPresent?: () => boolean;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A monotonic clock in ms. Default: `performance.now`. */
  now?: () => number;
}

type State =
  | { name: 'idle' }
  | { name: 'starting' }
  | { name: 'serving'; account: Account; shared?: LocalCredentials }
  | { name: 'refused'; error: ClientError };

/**
 * Runs the local service of one data folder as a child process.
 *
 * States:
 * - *idle*: not started. The first `getAccount()` starts a loop that keeps the service running until `close()`.
 * - *starting*: the program was started, or will be after a delay. `getAccount()` waits up to `startTimeoutMs`.
 * - *serving*: the program has printed its address, or the service of another Node-RED instance is shared.
 * - *refused*: calls of `getAccount()` fail.
 *
 * The exit of the program determines the next state:
 * - `EXIT_LOCKED`, the folder is locked: if the service that holds the lock replies at the address in
 *   `credentials.json`, it is shared (*serving*) until it no longer replies. It is never stopped. If it does not reply,
 *   the state is *starting*, and *refused* with `SERVICE_LOCKED` after `lockGraceMs`. In both cases the program is
 *   started again after a delay.
 * - `EXIT_NO_NATIVE_CODE`, a failed start, or any exit status before the address was printed: *refused* with
 *   `LOCAL_UNAVAILABLE`. The loop ends. The first `getAccount()` after a delay starts it again.
 * - Any other exit is a crash: *starting*, and the program is started again after a delay. The service recovers its
 *   unfinished operations itself.
 *
 * Delays double after each start. The backoff is reset when a service has run for `backoffResetMs` or is shared.
 */
export class LocalService {
  readonly #options: Required<LocalServiceOptions>;
  readonly #closeController = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: State = { name: 'idle' };
  #notice: ServiceNotice;
  #program: RunningProgram | undefined;
  #loop: Promise<void> | undefined;
  #backoffCount = 0;
  #lockedSince: number | undefined;
  /** The earliest time at which the loop may start again, on the clock `now`. */
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

  /** The notice that flow nodes show. `undefined`: no notice. */
  get notice(): ServiceNotice {
    return this.#notice;
  }

  /** Whether the service is running, so that a request does not start it. */
  get isServing(): boolean {
    return this.#state.name === 'serving';
  }

  /** Calls `listener` whenever the state or `notice` has changed. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the address and the credentials of the service. Starts the service if necessary, and waits until it is
   * ready. Throws `LOCAL_UNAVAILABLE`, `SERVICE_LOCKED`, or `ABORTED` if `signal` aborts first.
   */
  async getAccount(signal: AbortSignal): Promise<Account> {
    this.#startLoopIfNeeded();
    await this.#verifyShared(signal);
    if (this.#state.name === 'starting') await this.#waitForStart(signal);
    if (this.#state.name === 'serving') return this.#state.account;
    if (this.#state.name === 'refused') throw this.#state.error;
    throw createNodeError('LOCAL_UNAVAILABLE', 'The local service has been stopped.');
  }

  /** Stops the program and waits for its exit. Kills it after `stopTimeoutMs`. Does not stop a shared service. */
  async close(): Promise<void> {
    this.#closeController.abort();
    this.#program?.stop();
    const killController = new AbortController();
    const kill = this.#options.sleep(LOCAL_SERVICE_TIMES.stopTimeoutMs, killController.signal).then(() => {
      if (!killController.signal.aborted) this.#program?.kill();
    });
    await this.#loop;
    killController.abort();
    await kill;
    this.#setState({ name: 'idle' }, undefined);
  }

  // A shared service can end unnoticed, and another program listen at its port. Its own child ends with an event.
  async #verifyShared(signal: AbortSignal): Promise<void> {
    const state = this.#state;
    if (state.name !== 'serving' || !state.shared || (await isServiceAlive(state.shared, signal))) return;
    if (this.#state === state) this.#setState({ name: 'starting' }, 'restarting');
  }

  #startLoopIfNeeded(): void {
    if (this.#loop || this.#closeController.signal.aborted || this.#options.now() < this.#nextStartAt) return;
    this.#setState({ name: 'starting' }, this.#notice);
    this.#loop = this.#supervise()
      // The operating system refused to start the program. An unhandled rejection would terminate Node-RED.
      .catch((error: unknown) => this.#markUnavailable(describeSpawnFailure(error)))
      .finally(() => {
        this.#loop = undefined;
      });
  }

  async #supervise(): Promise<void> {
    const { predecessorEnd, isPresent } = this.#options;
    await predecessorEnd;
    while (!this.#closeController.signal.aborted) {
      if (!isPresent()) return this.#markUnavailable(`its program ${LOCAL_PROGRAM} is missing. Reinstall the package.`);
      const startedAt = this.#options.now();
      const { exit, hasServed } = await this.#runOnce();
      if (this.#closeController.signal.aborted) return;
      if (hasServed && this.#options.now() - startedAt >= LOCAL_SERVICE_TIMES.backoffResetMs) this.#backoffCount = 0;
      if (exit.exitStatus === EXIT_LOCKED) {
        await this.#shareRunningService();
      } else if (exit.exitStatus === EXIT_NO_NATIVE_CODE) {
        return this.#markUnavailable(
          `its native code could not be loaded on ${process.platform} ${process.arch}: ${readLogLine(exit.lastLine).message}`,
        );
      } else if (exit.spawnError) {
        return this.#markUnavailable(describeSpawnFailure(exit.spawnError));
      } else if (!hasServed && exit.exitStatus !== undefined) {
        return this.#markUnavailable(describeStartFailure(exit));
      } else {
        this.#options.log({ level: 'error', message: `Local service exited (${describeExit(exit)}); restarting it` });
        this.#setState({ name: 'starting' }, 'restarting');
      }
      await this.#options.sleep(this.#nextBackoffMs(), this.#closeController.signal);
    }
  }

  // Runs the program once, from its start to its exit.
  async #runOnce(): Promise<{ exit: ProgramExit; hasServed: boolean }> {
    const { start, settings, log } = this.#options;
    const program = start(settings, (line) => log(readLogLine(line)));
    this.#program = program;
    const baseUrl = await program.baseUrl;
    const credentials = baseUrl === undefined ? undefined : await readLocalCredentials(settings.dataDir);
    const hasServed = baseUrl !== undefined && credentials !== undefined && !this.#closeController.signal.aborted;
    if (hasServed) this.#setState({ name: 'serving', account: { ...credentials, baseUrl } }, undefined);
    // A program without readable credentials cannot be used. If it is already stopping, this has no effect.
    else program.stop();
    const exit = await program.exit;
    this.#program = undefined;
    return { exit, hasServed };
  }

  // Shares the service that holds the lock as long as it replies. If it does not reply, reports the lock.
  async #shareRunningService(): Promise<void> {
    const { settings, sleep, log, now } = this.#options;
    const { signal } = this.#closeController;
    const credentials = await readLocalCredentials(settings.dataDir);
    if (credentials && (await isServiceAlive(credentials, signal))) {
      log({ level: 'info', message: `Sharing the local service of another Node-RED instance in ${settings.dataDir}` });
      this.#backoffCount = 0;
      const serving = { name: 'serving', account: credentials, shared: credentials } as const;
      do {
        if (this.#state.name !== 'serving') this.#setState(serving, undefined);
        await sleep(LOCAL_SERVICE_TIMES.healthCheckIntervalMs, signal);
      } while (!signal.aborted && (await isServiceAlive(credentials, signal)));
      if (!signal.aborted) this.#setState({ name: 'starting' }, 'restarting');
      return;
    }
    const message = `The data folder ${settings.dataDir} is in use by another service that does not reply. Stop it, or set a different dataDir in settings.js.`;
    if (this.#notice !== 'locked') log({ level: 'warn', message });
    this.#lockedSince ??= now();
    const isWithinGracePeriod = now() - this.#lockedSince < LOCAL_SERVICE_TIMES.lockGraceMs;
    this.#setState(
      isWithinGracePeriod
        ? { name: 'starting' }
        : { name: 'refused', error: createNodeError('SERVICE_LOCKED', message) },
      'locked',
    );
  }

  #markUnavailable(reason: string): void {
    this.#nextStartAt = this.#options.now() + this.#nextBackoffMs();
    const message = `The local service could not start: ${reason}`;
    this.#setState({ name: 'refused', error: createNodeError('LOCAL_UNAVAILABLE', message) }, undefined);
  }

  #nextBackoffMs(): number {
    const ms = Math.min(LOCAL_SERVICE_TIMES.maxBackoffMs, LOCAL_SERVICE_TIMES.minBackoffMs * 2 ** this.#backoffCount);
    this.#backoffCount += 1;
    return ms;
  }

  #setState(state: State, notice: ServiceNotice): void {
    this.#state = state;
    this.#notice = notice;
    if (state.name === 'serving') this.#lockedSince = undefined;
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
      const stopListening = this.subscribe(() => {
        if (this.#state.name === 'starting') return;
        stopListening();
        abortOrTimeout.removeEventListener('abort', onAbort);
        resolve();
      });
      if (abortOrTimeout.aborted) onAbort();
      else abortOrTimeout.addEventListener('abort', onAbort, { once: true });
    });
  }
}
