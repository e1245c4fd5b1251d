import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, findDescendants } from '../../helpers/processes.js';
import { type Program, startProgram } from '../../service/support/program.js';
import type { MarkedProgram } from '../support/marked-program.js';

const START_TIMEOUT_MS = 300_000;
const RESTART_DELAY_MS = 500;

/** How a supervised process has ended so far. */
export interface ProcessCounts {
  kills: number;
  freezes: number;
  /** Ended by SIGTERM with the exit status 0. */
  stops: number;
  /** Starts that ended because the database or the bucket was away. */
  failedStarts: number;
}

/**
 * A process that is started again after each end, as a service manager does. Faults of the same process follow each other.
 */
export class SupervisedProcess {
  readonly name: string;
  readonly counts: ProcessCounts = { kills: 0, freezes: 0, stops: 0, failedStarts: 0 };
  /** What the process should not have logged, and its unexpected ends. */
  readonly violations: string[] = [];
  readonly #marked: MarkedProgram;
  readonly #args: readonly string[];
  readonly #environment: Record<string, string>;
  #program: Program | undefined;
  #isEnding = false;
  #faults: Promise<void> = Promise.resolve();

  constructor(name: string, marked: MarkedProgram, args: readonly string[], environment: Record<string, string>) {
    this.name = name;
    this.#marked = marked;
    this.#args = args;
    this.#environment = { ...environment, ...marked.environment };
  }

  /** Starts the process, again until it has printed its URL. */
  async start(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    this.#isEnding = false;
    for (;;) {
      const program = startProgram([...this.#args], this.#environment, this.#marked.file);
      this.#program = program;
      let hasEnded = false;
      void program.ended.then(() => (hasEnded = true));
      await eventually(`${this.name} is started`, () => hasEnded || program.lines[0], START_TIMEOUT_MS);
      if (!hasEnded) {
        void this.#watch(program);
        return;
      }
      const status = await program.ended;
      this.counts.failedStarts += 1;
      if (status !== 1 || performance.now() > deadline)
        throw new Error(`${this.name} could not start (${status}): ${program.errors()}`);
      await sleep(RESTART_DELAY_MS);
    }
  }

  /** Kills the process and starts it again. */
  kill(): Promise<void> {
    return this.#exclusively(async () => {
      this.#isEnding = true;
      this.#program?.child.kill('SIGKILL');
      await this.#program?.ended;
      this.counts.kills += 1;
      await this.start();
    });
  }

  /** Suspends the process, and its children if `withChildren`, for `ms`. */
  freeze(ms: number, withChildren: boolean): Promise<void> {
    return this.#exclusively(async () => {
      const { pid = 0 } = this.#program ?? {};
      const children = withChildren ? findDescendants(pid).map((child) => child.pid) : [];
      for (const each of [pid, ...children]) sendSignal(each, 'SIGSTOP');
      await sleep(ms);
      for (const each of [...children, pid]) sendSignal(each, 'SIGCONT');
      this.counts.freezes += 1;
    });
  }

  /** Stops the process by SIGTERM and starts it again. */
  restart(): Promise<void> {
    return this.#exclusively(async () => {
      await this.#stop();
      await this.start();
    });
  }

  /** Stops the process by SIGTERM after the current fault. */
  stop(): Promise<void> {
    return this.#exclusively(() => this.#stop());
  }

  async #stop(): Promise<void> {
    const program = this.#program;
    if (!program) return;
    this.#isEnding = true;
    program.child.kill('SIGTERM');
    const status = await program.ended;
    this.#program = undefined;
    if (status === 0) this.counts.stops += 1;
    else this.violations.push(`${this.name} ended with ${status} after SIGTERM: ${lastLines(program)}`);
  }

  async #watch(program: Program): Promise<void> {
    const status = await program.ended;
    for (const line of program.errors().split('\n')) {
      if (isUnexpected(line)) this.violations.push(`${this.name} logged ${line}`);
    }
    if (!this.#isEnding) this.violations.push(`${this.name} ended by itself (${status}): ${lastLines(program)}`);
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    const done = this.#faults.then(work);
    this.#faults = done.catch(() => undefined);
    return done;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // a kernel process that has ended meanwhile
  }
}

function lastLines(program: Program): string {
  return program.errors().split('\n').slice(-5).join('\n');
}

/** Returns whether a line of the log is an internal error, which no fault may cause. */
function isUnexpected(line: string): boolean {
  return /Internal error|"INTERNAL"|UnhandledPromise|uncaught/i.test(line);
}
