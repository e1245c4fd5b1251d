import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import should from 'should';
import { createObjectKey, createRecordKey } from '../../../src/service/blobs/s3/object-keys.js';
import { STALE_AFTER_MS } from '../../../src/service/blobs/s3/remove-objects.js';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { recordOf } from '../../service/support/records.js';
import { type QuotaBench, registerQuotaBench } from './support/quota-bench.js';
import type { QuotaProcess } from './support/quota-process.js';

const MIB = 1024 ** 2;

describe('SharedStorageQuota of two processes', () => {
  let bench: QuotaBench;
  registerQuotaBench((opened) => (bench = opened));

  /** Uploads 10 MiB, 1 MiB at a time. Resolves with the highest usage that it has seen. */
  const receive = async (process: QuotaProcess, owner: string, usageOf: string): Promise<number> => {
    let highest = 0;
    const upload = await process.openUpload(owner, 10 * MIB);
    for (let size = MIB; size <= 10 * MIB; size += MIB) {
      await upload.receive(size);
      const { bytes, reserved } = await bench.readUsage(usageOf);
      highest = Math.max(highest, bytes + reserved);
    }
    await upload.store();
    return highest;
  };

  for (const [name, limits, owners] of [
    ['a user', { userQuotaBytes: 45 * MIB }, ['ann']],
    ['all users', { quotaBytes: 45 * MIB }, ['ann', 'bob', 'eve']],
  ] as const) {
    it(`never exceeds the quota of ${name} with uploads at the same time`, async () => {
      const processes = bench.createProcesses(limits);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, async (_, index) => {
          const owner = owners[index % owners.length] ?? '';
          return receive(processes[index % 2] as QuotaProcess, owner, '%');
        }),
      );
      const stored = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') should(outcome.reason.code).match(/^(USER_)?QUOTA_FULL$/);
      }
      should(stored.length).be.within(1, 4);
      should(Math.max(...stored)).be.belowOrEqual(45 * MIB);
      should(await bench.readUsage()).eql({ bytes: stored.length * 10 * MIB, reserved: 0 });
    });
  }

  it('fills the quota of a user exactly with outputs at the same time', async () => {
    const processes = bench.createProcesses({ userQuotaBytes: 1000 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        (processes[index % 2] as QuotaProcess).quota.reserve('ann', 100, `${index}`),
      ),
    );
    should(outcomes.filter(({ status }) => status === 'fulfilled')).have.length(10);
    should(await bench.readUsage('ann')).eql({ bytes: 0, reserved: 1000 });
  });

  it('counts a reservation that another process commits while it waits for it', async () => {
    const [one] = bench.createProcesses({ userQuotaBytes: 1000 });
    let reserved: Promise<unknown> | undefined;
    await bench.second.transaction().execute(async (transaction) => {
      const times = { created_at: bench.time.now, touched_at: bench.time.now };
      const object = { key: 'other', owner: 'ann', state: 'open', size: 600, ...times } as const;
      await transaction.insertInto('object').values(object).execute();
      reserved = one.quota.reserve('ann', 600, 'output');
      reserved.catch(() => undefined); // handled below
      await bench.server.untilWaiting();
    });
    await should(reserved).be.rejectedWith({ code: 'USER_QUOTA_FULL' });
    should(await bench.readUsage()).eql({ bytes: 0, reserved: 600 });
  });

  it('prefers the quota of a user to the default', async () => {
    const [one, two] = bench.createProcesses({ userQuotaBytes: 1000 });
    const user = { id: 'ann', username: 'ann', password_hash: '', created_at: 1, quota_bytes: 100 };
    await bench.first.insertInto('user').values(user).execute();
    await one.quota.reserve('ann', 100, 'a');
    await two.quota.reserve('ann', 1, 'b').should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
    await two.quota.reserve('bob', 1000, 'c');
  });

  it('reserves at most as much again as has arrived of an upload, and nothing for an announced length', async () => {
    const [one] = bench.createProcesses();
    const upload = await one.openUpload('ann', 100 * MIB);
    const reserved: number[] = [];
    for (const size of [0, 1, 2, 16, 17, 48, 49, 99]) {
      if (size > 0) await upload.receive(size * MIB);
      reserved.push((await bench.readUsage()).reserved / MIB);
    }
    should(reserved).eql([0, 2, 2, 32, 32, 64, 64, 100]);
  });

  it('moves the reservation of an upload to the stored bytes when its file is added', async () => {
    const [one] = bench.createProcesses();
    const upload = await one.openUpload('ann', 3 * MIB);
    await upload.receive(3 * MIB);
    should(await bench.readUsage()).eql({ bytes: 0, reserved: 3 * MIB });
    await upload.store();
    should(await bench.readUsage()).eql({ bytes: 3 * MIB, reserved: 0 });
    const object = await bench.first.selectFrom('object').select(['state', 'size']).executeTakeFirst();
    should(object).eql({ state: 'confirmed', size: 3 * MIB });
  });

  it('keeps the reservation of a file that could not be added', async () => {
    const [one] = bench.createProcesses();
    const upload = await one.openUpload('ann', MIB);
    await upload.receive(MIB);
    await sql`alter table file add constraint broken check (owner <> 'ann')`.execute(bench.first);
    await upload.store().should.be.rejected();
    await sql`alter table file drop constraint broken`.execute(bench.first);
    should(await bench.readUsage()).eql({ bytes: 0, reserved: MIB });
  });

  it('releases the reservation of a process that crashed once nobody has touched its object for an hour', async () => {
    const [crashed, other] = bench.createProcesses({ userQuotaBytes: 10 * MIB });
    const upload = await crashed.openUpload('ann', 10 * MIB);
    await upload.receive(8 * MIB);
    bench.time.now += STALE_AFTER_MS;
    await other.rows.discardStale(bench.time.now - STALE_AFTER_MS);
    await other.quota.reserve('ann', MIB, 'output').should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
    bench.time.now += 1;
    await other.rows.discardStale(bench.time.now - STALE_AFTER_MS);
    should(await bench.readUsage()).eql({ bytes: 0, reserved: 0 });
    await other.storeFile('ann', 10 * MIB);
  });

  it('keeps the reservation of an upload that is touched', async () => {
    const [one, two] = bench.createProcesses();
    const upload = await one.openUpload('ann', 2 * MIB);
    await upload.receive(MIB);
    bench.time.now += STALE_AFTER_MS;
    await one.rows.touch([upload.key]);
    await two.rows.discardStale(bench.time.now);
    should((await bench.readUsage()).reserved).equal(2 * MIB);
  });

  it('refuses to reserve more for an object that was given up meanwhile', async () => {
    const [one] = bench.createProcesses();
    const upload = await one.openUpload('ann', 10 * MIB);
    await upload.receive(MIB);
    await one.rows.discard(upload.key);
    await upload.receive(5 * MIB).should.be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
    should((await bench.readUsage()).reserved).equal(0);
  });

  it('releases the reservation of an output that was not stored, and of none that was', async () => {
    const [one, two] = bench.createProcesses();
    const lost = await one.quota.reserve('ann', 100, 'lost');
    const record = recordOf(randomUUID(), 'output', { owner: 'ann' });
    const key = createObjectKey(record.id, randomUUID());
    const stored = await two.quota.reserve('ann', record.size, key);
    await two.files.add(createFileRow(record, bench.time.now, key));
    await lost.release();
    await stored.release();
    should(await bench.readUsage()).eql({ bytes: record.size, reserved: 0 });
    const states = await bench.first.selectFrom('object').select(['key', 'state']).orderBy('state').execute();
    should(states).eql([
      { key, state: 'confirmed' },
      { key: 'lost', state: 'deleting' },
    ]);
  });

  it('releases the reservation of a file that shares an object, so that another worker can store it', async () => {
    const [stopped, other] = bench.createProcesses();
    const key = createRecordKey(randomUUID(), createObjectKey(randomUUID()));
    const reservation = await stopped.quota.reserve('ann', 500, key);
    await reservation.release();
    should(await bench.readUsage('ann')).eql({ bytes: 0, reserved: 0 });
    should(await other.rows.open(key, 'ann')).be.true();
    await other.quota.reserve('ann', 500, key);
    should(await bench.readUsage('ann')).eql({ bytes: 0, reserved: 500 });
  });

  it('counts a file that shares an object for its own user', async () => {
    const [one] = bench.createProcesses();
    const record = recordOf(randomUUID(), '', { size: 500, owner: 'ann' });
    const key = createObjectKey(record.id);
    await one.quota.reserve('ann', 500, key);
    await one.files.add(createFileRow(record, bench.time.now, key));
    const copy = recordOf(randomUUID(), '', { size: 500, owner: 'ann' });
    await one.quota.reserve('ann', 500, createRecordKey(copy.id, key));
    should(await bench.readUsage('ann')).eql({ bytes: 500, reserved: 500 });
    await one.files.add(createFileRow(copy, bench.time.now, key));
    should(await bench.readUsage('ann')).eql({ bytes: 1000, reserved: 0 });
  });

  it('keeps the reserved bytes equal to the open objects of each user, whatever statement changes them', async () => {
    const values = (key: string, owner: string, state: 'open' | 'deleting', size: number) => ({
      ...{ key, owner, state, size },
      ...{ created_at: 1, touched_at: 1 },
    });
    const objects = bench.first;
    await objects
      .insertInto('object')
      .values([values('a', 'ann', 'open', 1), values('b', 'ann', 'open', 2), values('c', 'bob', 'deleting', 4)])
      .execute();
    should([(await bench.readUsage('ann')).reserved, (await bench.readUsage('bob')).reserved]).eql([3, 0]);
    await objects.updateTable('object').set({ size: sql`size * 10` }).execute();
    should((await bench.readUsage()).reserved).equal(30);
    await objects.updateTable('object').set({ state: 'open' }).where('key', '=', 'c').execute();
    should((await bench.readUsage('bob')).reserved).equal(40);
    await objects.updateTable('object').set({ state: 'confirmed' }).where('key', '=', 'a').execute();
    await objects.deleteFrom('object').where('key', 'in', ['a', 'c']).execute();
    should([(await bench.readUsage('ann')).reserved, (await bench.readUsage('bob')).reserved]).eql([20, 0]);
  });
});
