import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Creates an empty folder for one test. */
export function createFolder(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), 'service-test-'));
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
