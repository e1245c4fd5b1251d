import should from 'should';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import { type ServeApiOptions, serveApi } from '../../../src/service/database-mode/serve-api.js';
import { createLogger } from '../../../src/service/logger.js';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { eventually } from '../../helpers/processes.js';
import { type BucketBench, registerBucketBench } from '../blobs/support/bucket-bench.js';
import { usePostgres } from '../support/use-postgres.js';

describe('serveApi', () => {
  let bench: BucketBench;
  let server: PostgresServer;
  registerBucketBench((opened) => (bench = opened));

  usePostgres((started) => (server = started));
  const optionsOf = (more: Partial<ServeApiOptions> = {}): ServeApiOptions => ({
    ...{ host: '127.0.0.1', port: 0, logger: createLogger('silent'), drainDelayMs: 0 },
    database: { url: server.url() },
    bucket: { bucket: bench.name, endpoint: bench.swift.endpoint, forcePathStyle: true },
    isTrustedProxy: parseAddressFilter('loopback'),
    ...more,
  });

  const countConnections = async (): Promise<unknown> => {
    const [row] = await server.query(
      "select count(*)::int as count from pg_stat_activity where application_name = 'model-processing'",
    );
    return row?.count;
  };

  it('leaves no connection open if the API cannot be created, and after its end', async () => {
    await serveApi(optionsOf({ limits: { jsonBytes: -1 } })).should.be.rejected();
    await eventually('no connection is left', async () => (await countConnections()) === 0, 8000); // idle ones end after 10 s
    const service = await serveApi(optionsOf());
    should((await fetch(`${service.baseUrl}/readyz`)).status).equal(200);
    await service.close();
    await eventually('no connection is left', async () => (await countConnections()) === 0);
  });
});
