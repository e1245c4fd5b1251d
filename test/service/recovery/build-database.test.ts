import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { buildDatabase } from '../../../src/service/recovery/build-database.js';
import { openStore } from '../../../src/service/store/database.js';
import type { OperationRow } from '../../../src/service/store/schema.js';
import { OPERATION } from './support/operation-row.js';

describe('buildDatabase', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'build-database-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keeps the first of two operations with the same id, and counts them once', async () => {
    const operations: OperationRow[] = [OPERATION, { ...OPERATION, filename: 'b.stl' }, { ...OPERATION, id: 'other' }];
    const target = path.join(folder, 'new.db');
    const count = await buildDatabase(path.join(folder, 'build.db'), target, {
      identity: { store_id: 'store', generation: 1 },
      accounts: { source: 'none', serial: 0, users: [], clients: [] },
      operations,
      files: new Map(),
      keys: [],
      now: 1000,
    });
    should(count).equal(2);
    const store = await openStore(target);
    try {
      const rows = await store.selectFrom('operation').select(['id', 'filename']).orderBy('id').execute();
      should(rows).deepEqual([
        { id: 'operation', filename: 'a.stl' },
        { id: 'other', filename: 'a.stl' },
      ]);
    } finally {
      await store.destroy();
    }
  });
});
