import { PassThrough } from 'node:stream';

/** Returns the text that was written to a stream. */
function readAll(stream: PassThrough): string {
  return String(stream.read() ?? '');
}

/** Runs the command line in this process, as `runProgram` does in another one. For arguments that no command accepts, and for help. */
export async function runHere(args: readonly string[]) {
  // Imported as the commands are: mocha loads the modules of tests apart from them, with another class `StartError`.
  const { runCommandLine } = await import('../../../src/service/command-line/run-command-line.js');
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await runCommandLine(args, { stdout, stderr });
  return { status, lines: readAll(stdout).split('\n').slice(0, -1), errors: readAll(stderr) };
}
