import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import type { ClientLimits, DownloadTarget } from '../../../src/client/index.js';
import { type ClientBench, HANG_TIMEOUT_MS, registerClientBench } from './client-bench.js';

const LIMITS: Partial<ClientLimits> = { idleTimeoutMs: HANG_TIMEOUT_MS, maxBufferBytes: 4 << 20 };

/**
 * Registers the hooks of `registerClientBench`, and others that create an empty folder before each test and delete it
 * afterwards. They check that no temporary file of an upload remains.
 */
export function registerTransferBench(assign: (bench: ClientBench) => void, limits = LIMITS) {
  const root = path.join(os.tmpdir(), `transfer-test-${randomUUID()}`);
  const folder = path.join(root, 'files');
  const tempDir = path.join(root, 'temporary');

  beforeEach(() => {
    for (const each of [folder, tempDir]) mkdirSync(each, { recursive: true });
  });
  const { reopen } = registerClientBench(assign, () => ({ tempDir, limits }));
  afterEach(() => {
    readdirSync(tempDir).should.eql([]);
    rmSync(root, { recursive: true });
  });

  return {
    folder,
    reopen,
    createFile: (name: string, content: string | Buffer): string => {
      const target = path.join(folder, name);
      writeFileSync(target, content);
      return target;
    },
    listFolder: (): string[] => readdirSync(folder).sort(),
    /** Creates the target of a download to the folder. */
    toFile: (options: Partial<DownloadTarget & { to: 'file' }> = {}): DownloadTarget => ({
      to: 'file',
      folder,
      ...options,
    }),
  };
}
