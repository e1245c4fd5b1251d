import path from 'node:path';
import should from 'should';
import { hashSecret } from '../../../src/service/auth/secrets.js';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import { createWorkers } from '../../../src/service/components/create-workers.js';
import { createSharedComponents } from '../../../src/service/components/shared-components.js';
import { createStorageQuota } from '../../../src/service/database-mode/create-storage-quota.js';
import { type DatabaseBackend, openBackend } from '../../../src/service/database-mode/open-backend.js';
import { serveApi } from '../../../src/service/database-mode/serve-api.js';
import { createLogger } from '../../../src/service/logger.js';
import { createMetrics } from '../../../src/service/metrics.js';
import type { RunningService } from '../../../src/service/serve.js';
import { createStatistics } from '../../../src/service/store/statistics.js';
import { createTokens } from '../../../src/service/store/tokens.js';
import { PostgresServer } from '../../helpers/postgres-server.js';
import { eventually } from '../../helpers/processes.js';
import { type Calls, callsWith } from '../../service/support/account.js';
import { createFolder, removeFolder } from '../../service/support/data-folder.js';
import { CUBE } from '../../service/support/models.js';
import { type BucketBench, registerBucketBench } from '../blobs/support/bucket-bench.js';

const COUNT = 4;
const SETTINGS = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=top'];

/** A statement, and how often it ran. Begin and commit are statements, too. */
interface Statement {
  query: string;
  count: number;
}

function sumOf(statements: readonly Statement[]): number {
  return statements.reduce((sum, { count }) => sum + count, 0);
}

// What a run needs beside the transactions of its claim and its completion: its input, an identical operation, the
// reservation that adds the object of its output, and the state of that object.
const BESIDE_TRANSACTIONS = new RegExp(
  `^(?:${[
    'select \\* from "(?:file|operation)"',
    'with own as \\(\\s*insert into usage',
    'select "state" from "object"',
  ].join('|')})`,
);

// The clock of each process reads the time of the database every minute.
const BACKGROUND = /^\s*select \(extract\(\S+ from clock_timestamp\(\)\) \* \$\d\)::bigint as time\s*$/;

// After the last operation, the worker looks for a further one: begin, choose a job, fetch, commit.
const EMPTY_CLAIM = 4;

describe('the statements that PostgreSQL runs', () => {
  let bench: BucketBench;
  let server: PostgresServer;
  let backend: DatabaseBackend;
  let api: RunningService;
  let calls: Calls;
  let folder: string;
  registerBucketBench((opened) => (bench = opened));

  before(async () => {
    server = await PostgresServer.start(SETTINGS);
    folder = await createFolder();
  });
  after(async () => {
    await server.stop();
    await removeFolder(folder);
  });

  const optionsOf = () => ({
    ...{ host: '127.0.0.1', port: 0, logger: createLogger('silent'), drainDelayMs: 0, warmKernels: 0 },
    database: { url: server.url() },
    bucket: { bucket: bench.name, endpoint: bench.swift.endpoint, forcePathStyle: true },
    isTrustedProxy: undefined,
    publicUrl: undefined,
    isCallbackAllowed: parseAddressFilter('loopback'),
    kernelProgram: path.resolve('test/databases/machines/support/sleeping-kernel.mjs'),
    plan: { workers: 1, jobMemoryBytes: 1024 ** 3 },
  });

  beforeEach(async () => {
    backend = await openBackend({ ...optionsOf(), scratch: { folder, maxBytes: 1024 ** 3 } });
    api = await serveApi(optionsOf());
    await server.query('create extension pg_stat_statements');
    await createTokens(backend.store).add([
      {
        ...{ hash: hashSecret('secret'), kind: 'access', family: 'f', user_id: 'ann', client_id: 'c', created_at: 1 },
        ...{ expires_at: Number.MAX_SAFE_INTEGER, used_at: null, revoked_at: null },
      },
    ]);
    calls = callsWith(api.baseUrl, 'secret');
  });
  afterEach(async () => {
    await api.close();
    await backend.close();
  });

  /** Does something, and resolves with its result and the statements that it took. */
  const record = async <T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> => {
    await server.query('select pg_stat_statements_reset()');
    const result = await work();
    const rows = await server.query(
      "select query, calls::int from pg_stat_statements where query not like '%pg_stat_statements%'",
    );
    const statements = rows.map((row) => ({ query: String(row.query), count: Number(row.calls) }));
    return { result, statements: statements.filter(({ query }) => !BACKGROUND.test(query)) };
  };

  /** Does something `COUNT` times. Resolves with the results. Throws if one takes more than `maxCount` statements. */
  const measure = async <T>(maxCount: number, round: (index: number) => Promise<T>): Promise<T[]> => {
    const { result, statements } = await record(async () => {
      const results: T[] = [];
      for (let index = 0; index < COUNT; index++) results.push(await round(index));
      return results;
    });
    should(sumOf(statements) / COUNT).be.belowOrEqual(maxCount, statements.map(({ query }) => query).join('\n'));
    return result;
  };

  /** Runs all queued operations in a worker that does not poll. */
  const runOperations = async (): Promise<void> => {
    const messages: unknown[] = [];
    const logger = createLogger('info', { write: (line: string) => void messages.push(JSON.parse(line).msg) });
    const options = { ...optionsOf(), logger, limits: { cancellationCheckMs: 600_000 } };
    const shared = createSharedComponents(backend, options);
    const metrics = createMetrics({ ...shared, statistics: createStatistics(shared.store) });
    const storageQuota = createStorageQuota(shared, options);
    const { worker, warmKernels } = await createWorkers(shared, { storageQuota, metrics, folder }, options);
    worker.wake();
    await eventually('they are completed', () => messages.filter((text) => text === 'Completed').length === COUNT);
    await worker.close();
    await warmKernels.close();
  };

  it('are few for each request and operation', async () => {
    const uploads = await measure(9, (index) => calls.upload(`${CUBE}\n${index}`, '1.stl'));
    const fileIds = uploads.map(({ body }) => body.fileId);
    const starts = await measure(10, (index) => calls.post('import', { fileId: fileIds[index] }));
    const ids = starts.map(({ body }) => body.operationId);
    await measure(2, (index) => calls.get(`${ids[index]}/status`));
    const run = await record(runOperations);
    const inTransactions = run.statements.filter(({ query }) => !BESIDE_TRANSACTIONS.test(query));
    should((sumOf(inTransactions) - EMPTY_CLAIM) / COUNT).be.belowOrEqual(13);
    // One is a check of a foreign key: a claim changes its job twice.
    should((sumOf(run.statements) - EMPTY_CLAIM) / COUNT).be.belowOrEqual(18);
    const releases = run.statements.filter(({ query }) => /^update "object" set "state" = \S+ where/.test(query));
    should(releases).be.empty(); // the completion ends the reservation
    await measure(3, (index) => calls.get(`${ids[index]}/import/result`));
    await measure(4, (index) => calls.get(`file/${fileIds[index]}`));
  });
});
