import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Creates an empty folder for one test. */
export function createFolder(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), 'service-test-'));
}

/** Removes a folder. The kernel process of a service that was killed may still write into it for a moment. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });
}
