// A worker process whose kernel is the one of a test. Its arguments: the URL of the database, the bucket as JSON, a folder,
// and the number of operations at a time.
import path from 'node:path';
import { parseAddressFilter } from '../../../../src/service/callbacks/address-filter.js';
import { runUntilStopped } from '../../../../src/service/command-line/run-until-stopped.js';
import { runWorker } from '../../../../src/service/database-mode/run-worker.js';
import { createLogger } from '../../../../src/service/logger.js';

const [url = '', bucket = '{}', folder = '', workers = ''] = process.argv.slice(2);
const logger = createLogger('info');

await runUntilStopped(() =>
  runWorker({
    ...{ host: '127.0.0.1', port: 0, logger, drainTimeoutMs: 10_000, warmKernels: 0, usesResultCache: false },
    database: { url },
    bucket: JSON.parse(bucket),
    scratch: { folder, maxBytes: 1024 ** 3 },
    isCallbackAllowed: parseAddressFilter('loopback'),
    kernelProgram: path.resolve('test/databases/machines/support/sleeping-kernel.mjs'),
    plan: { workers: Number(workers), jobMemoryBytes: 1024 ** 3 },
  }),
);
process.exit();
