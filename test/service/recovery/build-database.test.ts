import path from 'node:path';
import should from 'should';
import { buildDatabase } from '../../../src/service/recovery/build-database.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import type { OperationRow, UserRow } from '../../../src/service/store/schema.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { createUsage } from '../../../src/service/store/usage.js';
import { useFolder } from '../support/data-folder.js';
import { recordOf } from '../support/records.js';
import { OPERATION } from './support/operation-row.js';

const KEY = { owner: 'me', route: 'file', fingerprint: 'f' };

describe('buildDatabase', () => {
  let folder: string;

  useFolder((created) => (folder = created));

  it('keeps the first of two operations with the same id, and counts them once', async () => {
    const operations: OperationRow[] = [OPERATION, { ...OPERATION, filename: 'b.stl' }, { ...OPERATION, id: 'other' }];
    const target = path.join(folder, 'new.db');
    const count = await buildDatabase(path.join(folder, 'build.db'), target, {
      identity: { store_id: 'store', generation: 1 },
      accounts: { source: 'none', serial: 0, users: [], clients: [] },
      operations,
      files: new Map(),
      keys: [],
      claims: new Map(),
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

  it('keeps the quotas of users, also from accounts of an earlier version, and sums up their files', async () => {
    const [ann, bob] = [
      { id: 'a', username: 'ann', password_hash: '', created_at: 1, quota_bytes: 5000 },
      { id: 'b', username: 'bob', password_hash: '', created_at: 1 },
    ];
    const target = path.join(folder, 'new.db');
    const files = [createFileRow(recordOf('1', 'xx', { owner: 'a' }), 1), createFileRow(recordOf('2', 'xxx'), 1)];
    await buildDatabase(path.join(folder, 'build.db'), target, {
      identity: { store_id: 'store', generation: 1 },
      accounts: { source: 'accounts.json', serial: 1, users: [ann, bob as UserRow], clients: [] },
      operations: [],
      files: new Map(files.map((file) => [file.id, file])),
      keys: [],
      claims: new Map(),
      now: 1000,
    });
    const store = await openStore(target);
    try {
      const { summarize } = createUsage(store);
      should(await summarize('a')).deepEqual({ totalBytes: 5, ownBytes: 2, quotaBytes: 5000 });
      should(await summarize('b')).deepEqual({ totalBytes: 5, ownBytes: 0, quotaBytes: null });
    } finally {
      await store.destroy();
    }
  });

  it('gives a key to the first claim, unless a recovered file has it', async () => {
    const files = ['1', '2', '3'].map((id) => createFileRow(recordOf(id, 'xx'), 1));
    const keyOf = (key: string, resource_id: string) => ({ ...KEY, key, resource_id, created_at: 1 });
    const claimOf = (id: string, key: string) => [id, { ...KEY, key, created_at: 1000, expiredBefore: 0 }] as const;
    const target = path.join(folder, 'new.db');
    await buildDatabase(path.join(folder, 'build.db'), target, {
      identity: { store_id: 'store', generation: 1 },
      accounts: { source: 'none', serial: 0, users: [], clients: [] },
      operations: [],
      files: new Map(files.map((file) => [file.id, file])),
      keys: [keyOf('recovered', '1'), keyOf('gone', 'not recovered')],
      claims: new Map([claimOf('2', 'gone'), claimOf('3', 'gone'), claimOf('4', 'recovered')]),
      now: 1000,
    });
    const store = await openStore(target);
    try {
      const rows = await store.selectFrom('idempotency_key').select(['key', 'resource_id', 'created_at']).execute();
      should(new Map(rows.map(({ key, ...row }) => [key, row]))).deepEqual(
        new Map([
          ['recovered', { resource_id: '1', created_at: 1000 }],
          ['gone', { resource_id: '2', created_at: 1000 }],
        ]),
      );
    } finally {
      await store.destroy();
    }
  });
});
