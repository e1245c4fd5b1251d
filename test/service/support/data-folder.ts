import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Creates an empty folder. */
export function createFolder(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), 'service-test-'));
}

/** Removes a folder. The kernel process of a service that was killed may still write into it for a moment. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });
}

/**
 * Copies the data folder of a service that was closed. It needs no write-ahead log, which the library may delete late,
 * and no spare file.
 */
export function copyDataFolder(source: string, target: string): Promise<void> {
  return cp(source, target, { recursive: true, filter: (file) => !/\.db-(wal|shm)$|[\\/]spare$/.test(file) });
}

/**
 * Registers hooks that create an empty folder before each test. `assign` receives it. It is removed after the last test,
 * so that the other hooks of the tests may still use it.
 */
export function useFolder(assign: (folder: string) => void): void {
  const folders: string[] = [];

  beforeEach(async () => {
    const folder = await createFolder();
    folders.push(folder);
    assign(folder);
  });

  after(async () => {
    for (const folder of folders.splice(0)) await removeFolder(folder);
  });
}
