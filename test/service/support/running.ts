import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PasswordCost } from '../../../src/service/auth/passwords.js';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import type { Credentials } from '../../../src/service/data-folder/credentials.js';
import { createLogger } from '../../../src/service/logger.js';
import { type ServeOptions, serve } from '../../../src/service/serve.js';
import { isDatabaseMode, type ServiceUnderTest, startOnDatabase } from './database-mode.js';
import { performHere } from './run-jobs.js';

export const KERNEL_PROGRAM = path.resolve('dist/src/service/kernel-process.js');

/** The lowest cost that scrypt allows: tests hash and check many passwords. */
export const LOWEST_COST: PasswordCost = { N: 2, r: 1, p: 1 };

/**
 * Starts a service in this process, on a free port, without log output. Passwords have the lowest cost. Jobs run in this
 * process as well, unless `kernelProgram` is set.
 */
export async function startService(dataFolder: string, options: Partial<ServeOptions> = {}): Promise<ServiceUnderTest> {
  const all: ServeOptions = {
    host: '127.0.0.1',
    port: 0,
    dataFolder,
    isCallbackAllowed: parseAddressFilter('loopback'),
    logger: createLogger('silent'),
    passwordCost: LOWEST_COST,
    kernelProgram: KERNEL_PROGRAM,
    ...(options.kernelProgram === undefined && { runJob: performHere }),
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
