import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually, findDescendants, isRunning, readStatus } from '../../helpers/processes.js';

/**
 * Kills a process with a suspended kernel process, in a sandbox or not. Resolves once that one and all others have ended.
 */
export async function killWhileSuspended(folder: string, sandbox: 'on' | 'off'): Promise<void> {
  const program = path.resolve('test/service/support/suspend-kernel.ts');
  const args = ['--import', 'tsx', program, folder, sandbox];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  const isSuspended = () => findDescendants(pid).some((each) => /^State:\s+T/m.test(readStatus(each.pid)));
  await eventually('the kernel process is suspended', isSuspended);
  const pids = findDescendants(pid).map((each) => each.pid);
  child.kill('SIGKILL');
  await eventually('no process remains', () => !pids.some(isRunning));
}
