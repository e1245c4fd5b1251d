// A worker process, or a service on one machine, whose kernel only waits: as many ms as the filename of its input says.
// Its argument is a JSON object: `workers`, `logLevel`, and either `dataFolder` or `url`, `bucket` and `scratchFolder`.
import path from 'node:path';
import { parseAddressFilter } from '../../src/service/callbacks/address-filter.js';
import { runUntilStopped } from '../../src/service/command-line/run-until-stopped.js';
import { runWorker } from '../../src/service/database-mode/run-worker.js';
import { createLogger } from '../../src/service/logger.js';
import { serve } from '../../src/service/serve.js';

const { workers, logLevel, dataFolder, url, bucket, scratchFolder } = JSON.parse(process.argv[2] ?? '{}');

const common = {
  host: '127.0.0.1',
  port: 0,
  logger: createLogger(logLevel),
  isCallbackAllowed: parseAddressFilter('loopback'),
  kernelProgram: path.resolve('test/databases/machines/support/sleeping-kernel.mjs'),
  plan: { workers, jobMemoryBytes: 1024 ** 3 },
  usesResultCache: false,
};

await runUntilStopped(() =>
  dataFolder === undefined
    ? runWorker({
        ...common,
        drainTimeoutMs: 0,
        database: { url },
        bucket,
        scratch: { folder: scratchFolder, maxBytes: 1024 ** 3 },
      })
    : serve({ ...common, dataFolder }),
);
process.exit();
