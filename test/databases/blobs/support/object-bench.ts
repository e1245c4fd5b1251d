import type { BlobRecord } from '../../../../src/service/blobs/blob-record.js';
import type { BlobKey } from '../../../../src/service/blobs/blob-store.js';
import type { ObjectRows } from '../../../../src/service/blobs/s3/object-rows.js';
import type { Store } from '../../../../src/service/store/database.js';
import { createFileRow } from '../../../../src/service/store/file-row.js';
import { createFiles } from '../../../../src/service/store/files.js';
import { createObjects } from '../../../../src/service/store/objects.js';
import { openPostgres } from '../../../../src/service/store/postgres.js';
import { PostgresServer } from '../../../helpers/postgres-server.js';

/** The tables of objects and files in PostgreSQL, empty before each test. */
export interface ObjectBench {
  store: Store;
  rows: ObjectRows;
  /** In ms. Set by a test. */
  time: number;
  /** Adds the row of a file and confirms its object. */
  addFile(record: BlobRecord, key: BlobKey): Promise<void>;
  /** Marks a file as deleted. */
  deleteFile(id: string): Promise<void>;
  /** Resolves with the states of all objects by their keys. */
  readStates(): Promise<Record<string, string>>;
}

function createBench(store: Store): ObjectBench {
  const files = createFiles(store);
  const bench: ObjectBench = {
    store,
    rows: createObjects(store, () => bench.time),
    time: 1_000_000_000_000,
    async addFile(record, key) {
      await files.add(createFileRow(record, bench.time, key));
    },
    deleteFile: (id) => files.setDeleted(id, bench.time),
    async readStates() {
      const objects = await store.selectFrom('object').select(['key', 'state']).execute();
      return Object.fromEntries(objects.map(({ key, state }) => [key, state]));
    },
  };
  return bench;
}

/** Registers hooks that start PostgreSQL for all tests and empty its tables before each. `assign` receives the bench. */
export function registerObjectBench(assign: (bench: ObjectBench) => void): void {
  let server: PostgresServer | undefined;
  let store: Store | undefined;

  before(async () => {
    server = await PostgresServer.share();
    const logger = { warn: (): void => undefined };
    store = await openPostgres({ url: server.url(), idleTransactionTimeoutMs: 60_000, logger });
  });

  beforeEach(async () => {
    if (!store) throw new Error('The database is not open.');
    await store.deleteFrom('file').execute();
    await store.deleteFrom('object').execute();
    assign(createBench(store));
  });

  after(async () => {
    await store?.destroy();
    await server?.stop();
  });
}
