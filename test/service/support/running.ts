import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import type { Credentials } from '../../../src/service/data-folder/credentials.js';
import { createLogger } from '../../../src/service/logger.js';
import { type ServeOptions, serve } from '../../../src/service/serve.js';
import { isDatabaseMode, type ServiceUnderTest, startOnDatabase } from './database-mode.js';

export const KERNEL_PROGRAM = path.resolve('dist/src/service/kernel-process.js');

/** Starts a service in this process, on a free port, without log output. */
export async function startService(dataFolder: string, options: Partial<ServeOptions> = {}): Promise<ServiceUnderTest> {
  const all: ServeOptions = {
    host: '127.0.0.1',
    port: 0,
    dataFolder,
    isCallbackAllowed: parseAddressFilter('loopback'),
    logger: createLogger('silent'),
    kernelProgram: KERNEL_PROGRAM,
    warmKernels: 0,
    plan: { workers: 1, jobMemoryBytes: 1024 ** 3 },
    ...options,
  };
  if (isDatabaseMode) return startOnDatabase(all);
  const service = await serve(all);
  return { ...service, processUrls: [service.baseUrl] };
}

export async function readCredentials(dataFolder: string): Promise<Credentials> {
  return JSON.parse(await readFile(path.join(dataFolder, 'credentials.json'), 'utf8'));
}
