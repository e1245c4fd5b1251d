// Runs a kernel process that hangs, and suspends it. Prints a line then, and waits to be killed. Usage:
//   tsx suspend-kernel.ts FOLDER on|off    (whether it runs in a sandbox, with files in the folder)
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { JobTurn } from '../../../src/service/kernel/job-turn.js';
import { createKernelRunner } from '../../../src/service/kernel/kernel-runner.js';
import { openSandbox } from '../../../src/service/kernel/sandbox/open-sandbox.js';

const [folder = '', mode] = process.argv.slice(2);
const program = path.resolve('test/service/support/kernels/hangs.mjs');
const inputPath = path.join(folder, 'input');
writeFileSync(inputPath, 'bytes');
const sandbox = await openSandbox({
  mode: mode === 'on' ? 'on' : 'off',
  program,
  createPath: () => path.join(folder, 'sandbox'),
  logger: { info: () => undefined },
});
const turn = new JobTurn();
const run = createKernelRunner({ program, memoryBytes: 256 * 1024 ** 2, timeoutMs: 600_000, sandbox });
void run(
  { operation: 'repair', inputPath, filename: 'a.stl', parameters: {} },
  { signal: new AbortController().signal, turn },
);
turn.suspend();
console.log('suspended');
