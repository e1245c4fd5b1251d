import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A new empty folder, for one test. */
export const createFolder = (): Promise<string> => mkdtemp(path.join(os.tmpdir(), 'service-test-'));

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
