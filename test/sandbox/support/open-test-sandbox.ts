import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { openSandbox, type Sandbox } from '../../../src/service/kernel/sandbox/open-sandbox.js';
import { createLogger } from '../../../src/service/logger.js';

/** Opens a sandbox for a kernel program. The folders of its processes are in `folder`. */
export async function openTestSandbox(program: string, folder: string): Promise<Sandbox> {
  const createPath = (): string => path.join(folder, randomUUID());
  const sandbox = await openSandbox({ mode: 'on', program, createPath, logger: createLogger('silent') });
  if (!sandbox) throw new Error('It throws instead.');
  return sandbox;
}
