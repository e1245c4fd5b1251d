import type { ProgramExit, RunningProgram } from '../../../../../nodes/shared/local-service/local-program.js';

/** A program whose start and exit the test controls. */
export class ScriptedProgram implements RunningProgram {
  readonly pid = 1;
  readonly baseUrl: Promise<string | undefined>;
  readonly exit: Promise<ProgramExit>;
  isStopped = false;
  isKilled = false;
  #resolveBaseUrl: (baseUrl: string | undefined) => void = () => undefined;
  #resolveExit: (exit: ProgramExit) => void = () => undefined;

  constructor() {
    this.baseUrl = new Promise((resolve) => {
      this.#resolveBaseUrl = resolve;
    });
    this.exit = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
  }

  serve(baseUrl = 'http://127.0.0.1:1'): void {
    this.#resolveBaseUrl(baseUrl);
  }

  finish(exitStatus: number | undefined, lastLine = ''): void {
    this.#resolveBaseUrl(undefined);
    this.#resolveExit({ exitStatus, lastLine });
  }

  fail(spawnError: Error): void {
    this.#resolveBaseUrl(undefined);
    this.#resolveExit({ exitStatus: undefined, lastLine: spawnError.message, spawnError });
  }

  stop(): void {
    this.isStopped = true;
  }

  kill(): void {
    this.isKilled = true;
    this.finish(undefined);
  }
}
