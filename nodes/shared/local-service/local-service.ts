import type { Account, ClientError } from '../../../src/client/index.js';
import { delay } from '../delay.js';
import { createNodeError } from '../node/flow-error.js';
import { isServiceAlive, readLocalCredentials } from './local-credentials.js';
import {
  EXIT_LOCKED,
  EXIT_NO_NATIVE_CODE,
  EXIT_USAGE,
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

/** What flow nodes should show while the service cannot serve; `undefined`: nothing. */
export type ServiceNotice = 'restarting' | 'locked' | undefined;

export interface LocalServiceOptions {
  settings: LocalSettings;
  log: (line: LogLine) => void;
  /** Settles when an earlier service of the same folder has ended. */
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
 * The local service of one data folder, as a child process.
 *
 * It is *idle* until the first `account()`; then a loop keeps it alive until `close()`. In each round the program is started
 * (*starting*), says its address (*serving*) and ends some day. What follows depends on how it ended:
 * - the folder is locked (exit status 3): where the holder of the lock answers by the `credentials.json` of the folder, that service
 *   is shared (*serving*) until it answers no more, and is never stopped; else still *starting*, and after `lockedMs` *refused* with
 *   `SERVICE_LOCKED`. Then again, after a pause;
 * - its native code cannot be loaded (4), or it ended before it said its address: *refused* with `LOCAL_UNAVAILABLE`, and the loop ends;
 *   the next `account()` after the pause begins anew;
 * - otherwise it died: *starting* again after a pause. The service takes its unfinished operations up itself.
 * Pauses double from round to round. Who asks for the account while it is starting waits for it, at most `startMs`.
 */
export class LocalService {
  readonly #options: Required<LocalServiceOptions>;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  #phase: Phase = { name: 'idle' };
  #notice: ServiceNotice;
  #program: RunningProgram | undefined;
  #loop: Promise<void> | undefined;
  #roundCount = 0;
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

  get notice(): ServiceNotice {
    return this.#notice;
  }

  /** Does it answer, without being started? */
  get isServing(): boolean {
    return this.#phase.name === 'serving';
  }

  /** Calls back when `notice` may have changed; answers how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Where the service answers, and who we are there. Starts it if nobody did. `LOCAL_UNAVAILABLE`, `SERVICE_LOCKED`. */
  async account(signal: AbortSignal): Promise<Account> {
    this.#wake();
    if (this.#phase.name === 'starting') await this.#waitForStart(signal);
    if (this.#phase.name === 'serving') return this.#phase.account;
    if (this.#phase.name === 'refused') throw this.#phase.error;
    throw createNodeError('LOCAL_UNAVAILABLE', 'the local service has been stopped');
  }

  /** Stops the program, unless it is another Node-RED's, and waits for its end. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#program?.stop();
    const givenUp = new AbortController();
    const killing = this.#options.sleep(LOCAL_SERVICE_TIMES.stopTimeoutMs, givenUp.signal).then(() => {
      if (!givenUp.signal.aborted) this.#program?.kill();
    });
    await this.#loop;
    givenUp.abort();
    await killing;
    this.#setPhase({ name: 'idle' }, undefined);
  }

  #wake(): void {
    if (this.#loop || this.#closing.signal.aborted || this.#options.now() < this.#nextStartAt) return;
    this.#setPhase({ name: 'starting' }, this.#notice);
    this.#loop = this.#supervise()
      // The system would start no program at all. Nobody else holds this promise.
      .catch((error: unknown) =>
        this.#markUnavailable(`its program cannot be started: ${Object(error).message ?? error}`),
      )
      .finally(() => {
        this.#loop = undefined;
      });
  }

  async #supervise(): Promise<void> {
    const { predecessorEnd, isPresent, settings } = this.#options;
    await predecessorEnd;
    while (!this.#closing.signal.aborted) {
      if (!isPresent())
        return this.#markUnavailable(`its program ${LOCAL_PROGRAM} is missing: install the package again`);
      const startedAt = this.#options.now();
      const { end, hasServed } = await this.#runOnce();
      if (this.#closing.signal.aborted) return;
      if (hasServed && this.#options.now() - startedAt >= LOCAL_SERVICE_TIMES.recoveredMs) this.#roundCount = 0;
      if (end.exitStatus === EXIT_LOCKED) {
        await this.#useRunningService();
      } else if (end.exitStatus === EXIT_NO_NATIVE_CODE) {
        return this.#markUnavailable(`its native code cannot be loaded here: ${readLogLine(end.lastLine).message}`);
      } else if (!hasServed && end.exitStatus !== undefined) {
        return this.#markUnavailable(startFailure(settings, end));
      } else {
        this.#options.log({
          level: 'error',
          message: `the local service ended (${describeExit(end)}); it is started again`,
        });
        this.#setPhase({ name: 'starting' }, 'restarting');
      }
      await this.#options.sleep(this.#nextPauseMs(), this.#closing.signal);
    }
  }

  // One life of the program, from its start to its end.
  async #runOnce(): Promise<{ end: ProgramExit; hasServed: boolean }> {
    const { start, settings, log } = this.#options;
    const program = start(settings, (line) => log(readLogLine(line)));
    this.#program = program;
    const baseUrl = await program.baseUrl;
    const credentials = baseUrl === undefined ? undefined : await readLocalCredentials(settings.dataDir);
    const isOurs = baseUrl !== undefined && credentials !== undefined && !this.#closing.signal.aborted;
    if (isOurs) this.#setPhase({ name: 'serving', account: { ...credentials, baseUrl } }, undefined);
    // Closing may have come while there was nothing yet that could be stopped.
    else program.stop();
    const end = await program.end;
    this.#program = undefined;
    return { end, hasServed: isOurs };
  }

  // The folder is another service's: use that one as long as it answers.
  async #useRunningService(): Promise<void> {
    const { settings, sleep, log, now } = this.#options;
    const { signal } = this.#closing;
    const credentials = await readLocalCredentials(settings.dataDir);
    if (credentials && (await isServiceAlive(credentials, signal))) {
      log({ level: 'info', message: `the local service of another Node-RED serves ${settings.dataDir}; it is shared` });
      this.#roundCount = 0;
      this.#setPhase({ name: 'serving', account: credentials }, undefined);
      while (!signal.aborted && (await isServiceAlive(credentials, signal)))
        await sleep(LOCAL_SERVICE_TIMES.sharedCheckMs, signal);
      if (!signal.aborted) this.#setPhase({ name: 'starting' }, 'restarting');
      return;
    }
    const message = `the data folder ${settings.dataDir} is in use by another service that does not answer`;
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
    this.#nextStartAt = this.#options.now() + this.#nextPauseMs();
    const message = `the local service cannot run on ${process.platform} ${process.arch}: ${reason}`;
    this.#setPhase({ name: 'refused', error: createNodeError('LOCAL_UNAVAILABLE', message) }, undefined);
  }

  #nextPauseMs(): number {
    const ms = Math.min(LOCAL_SERVICE_TIMES.maxBackoffMs, LOCAL_SERVICE_TIMES.minBackoffMs * 2 ** this.#roundCount);
    this.#roundCount += 1;
    return ms;
  }

  #setPhase(phase: Phase, notice: ServiceNotice): void {
    this.#phase = phase;
    this.#notice = notice;
    if (phase.name === 'serving') this.#lockedSince = undefined;
    for (const listener of this.#listeners) listener();
  }

  #waitForStart(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_SERVICE_TIMES.startTimeoutMs)]);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        stopListening();
        const late = `the local service did not start within ${LOCAL_SERVICE_TIMES.startTimeoutMs} ms`;
        reject(
          signal.aborted
            ? createNodeError('ABORTED', 'the node is closing')
            : createNodeError('LOCAL_UNAVAILABLE', late),
        );
      };
      const stopListening = this.onChange(() => {
        if (this.#phase.name === 'starting') return;
        stopListening();
        either.removeEventListener('abort', onAbort);
        resolve();
      });
      if (either.aborted) onAbort();
      else either.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** Why the program ended before it served. It refuses wrong options with the status of wrong usage: they come from `settings.js`. */
function startFailure({ dataDir }: LocalSettings, { exitStatus, lastLine }: ProgramExit): string {
  const { message } = readLogLine(lastLine);
  return exitStatus === EXIT_USAGE
    ? `modelProcessing in settings.js is wrong: ${message}`
    : `it could not start on ${dataDir}: ${message}`;
}

function describeExit({ exitStatus, lastLine }: ProgramExit): string {
  const how = exitStatus === undefined ? 'by a signal' : `with exit status ${exitStatus}`;
  return lastLine ? `${how}, last line: ${readLogLine(lastLine).message}` : how;
}
