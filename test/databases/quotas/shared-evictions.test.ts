import { randomUUID } from 'node:crypto';
import should from 'should';
import { createFileRow } from '../../../src/service/store/file-row.js';
import { queuedOperation } from '../../service/support/queued-operation.js';
import { recordOf } from '../../service/support/records.js';
import { HOUR, type QuotaBench, registerQuotaBench } from './support/quota-bench.js';

describe('the evictions of two processes', () => {
  let bench: QuotaBench;
  registerQuotaBench((opened) => (bench = opened));

  describe('when a quota is full', () => {
    it('evicts what each process needs, and no more', async () => {
      const processes = bench.createProcesses({ userQuotaBytes: 1000 });
      for (let age = 2; age < 12; age++) await processes[0].storeFile('ann', 100, age * HOUR);
      await Promise.all(processes.map(({ quota }, index) => quota.reserve('ann', 100, `${index}`)));
      should(await bench.countStored()).equal(8);
      should(await bench.readUsage()).eql({ bytes: 800, reserved: 200 });
    });

    it('evicts nothing for an announced length, and refuses one that cannot fit', async () => {
      const [one, two] = bench.createProcesses({ userQuotaBytes: 1000 });
      await one.storeFile('ann', 500, 2 * HOUR);
      await two.storeFile('ann', 400);
      await one.openUpload('ann', 600);
      await one.openUpload('ann', 601).should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
      should(await bench.countStored()).equal(2);
    });

    it('evicts no file that is recent or the input of an unfinished operation', async () => {
      const [one, two] = bench.createProcesses({ userQuotaBytes: 1000 });
      await one.storeFile('ann', 500);
      const input = await one.storeFile('ann', 500, 2 * HOUR);
      await bench.first
        .insertInto('operation')
        .values(queuedOperation({ input_id: input }))
        .execute();
      await two.quota.reserve('ann', 1, 'output').should.be.rejectedWith({ code: 'USER_QUOTA_FULL' });
      should(await bench.countStored()).equal(2);
    });

    it('takes from the users above an equal share of the quota of all', async () => {
      const [one, two] = bench.createProcesses({ quotaBytes: 1000 });
      for (let age = 2; age < 10; age++) await one.storeFile('ann', 100, age * HOUR);
      await one.storeFile('bob', 200, 20 * HOUR);
      await two.quota.reserve('bob', 300, 'output');
      should([(await bench.readUsage('ann')).bytes, (await bench.readUsage('bob')).bytes]).eql([500, 200]);
    });
  });

  describe('purgeExpired', () => {
    it('deletes expired files in batches, and ends between two of them', async () => {
      const [one, two] = bench.createProcesses();
      const rows = Array.from({ length: 250 }, () =>
        createFileRow(recordOf(randomUUID(), 'bytes', { owner: 'ann' }), bench.time.now - 200 * HOUR),
      );
      await bench.first.insertInto('file').values(rows).execute();
      const kept = await one.storeFile('ann', 1, 100 * HOUR);
      const stopping = AbortSignal.abort(new Error('The worker is stopping.'));
      await one.quota.purgeExpired(stopping).should.be.rejectedWith('The worker is stopping.');
      should(await bench.countStored()).equal(151);
      await Promise.all([one, two].map(({ quota }) => quota.purgeExpired()));
      should(await bench.countStored()).equal(1);
      should((await one.files.findStored(kept))?.id).equal(kept);
    });

    it('forgets deleted files and their objects after the retention of records', async () => {
      const [one] = bench.createProcesses();
      await one.storeFile('ann', 100, 200 * HOUR);
      await one.quota.purgeExpired();
      bench.time.now += 61 * 24 * HOUR;
      await one.quota.purgeExpired();
      should(await bench.first.selectFrom('file').select('id').execute()).be.empty();
      should(await bench.first.selectFrom('object').select('state').execute()).eql([{ state: 'deleting' }]);
    });
  });
});
