import should from 'should';
import { createSharedComponents } from '../../../src/service/components/shared-components.js';
import { type DatabaseBackend, openBackend } from '../../../src/service/database-mode/open-backend.js';
import { createLogger } from '../../../src/service/logger.js';
import { createMetrics } from '../../../src/service/metrics.js';
import { createStatistics } from '../../../src/service/store/statistics.js';
import { PostgresServer } from '../../helpers/postgres-server.js';
import { type BucketBench, registerBucketBench } from './support/bucket-bench.js';
import { type FaultyProxy, startFaultyProxy } from './support/faulty-proxy.js';

describe('the metrics of a process whose files are in a bucket', () => {
  let bench: BucketBench;
  let server: PostgresServer;
  let proxy: FaultyProxy;
  let backend: DatabaseBackend;
  registerBucketBench((opened) => (bench = opened));

  beforeEach(async () => {
    server = await PostgresServer.share();
    proxy = await startFaultyProxy(bench.swift.endpoint);
    backend = await openBackend(optionsOf());
  });
  afterEach(async () => {
    await backend.close();
    await proxy.close();
    await server.stop();
  });

  const optionsOf = () => ({
    ...{ host: '127.0.0.1', port: 0, logger: createLogger('silent') },
    database: { url: server.url() },
    bucket: { bucket: bench.name, endpoint: proxy.endpoint, forcePathStyle: true },
  });

  it('count the requests to the bucket that failed after all attempts', async () => {
    const shared = createSharedComponents(backend, optionsOf());
    const metrics = createMetrics({ ...shared, statistics: createStatistics(shared.store) });
    (await metrics.text()).should.match(/^model_processing_bucket_failures_total 0$/m);
    await backend.store
      .insertInto('object')
      .values({ key: 'ab/id/upload', owner: 'me', size: 0, state: 'deleting', created_at: 1, touched_at: 1 })
      .execute();
    proxy.chooseFault = (line) => (line.startsWith('DELETE') ? 'error' : undefined);
    const { signal } = new AbortController();
    await should(backend.removeObjects(signal)).be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
    (await metrics.text()).should.match(/^model_processing_bucket_failures_total 1$/m);
    proxy.chooseFault = () => undefined;
    should(await backend.removeObjects(signal)).equal(1);
    (await metrics.text()).should.match(/^model_processing_bucket_failures_total 1$/m);
  });
});
