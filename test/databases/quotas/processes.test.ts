import { randomBytes, randomUUID } from 'node:crypto';
import should from 'should';
import { eventually } from '../../helpers/processes.js';
import { type Calls, callsWith } from '../../service/support/account.js';
import { OPEN_CUBE } from '../../service/support/models.js';
import { startUpload } from '../../service/support/partial-upload.js';
import type { StartedProgram } from '../../service/support/program.js';
import { Machines } from '../machines/support/machines.js';

const MIB = 1024 ** 2;

describe('the quotas of two API processes and a worker', function () {
  this.timeout(180_000);
  let machines: Machines;
  let apis: [StartedProgram, StartedProgram];
  /** Those of one user by each API process. */
  let calls: [Calls, Calls];

  before(async () => {
    machines = await Machines.start();
  });

  after(() => machines.stop());

  beforeEach(() => machines.reset());

  afterEach(() => machines.end());

  const start = async (...options: string[]): Promise<void> => {
    apis = [await machines.startApi({ args: options }), await machines.startApi({ args: options })];
    const first = await machines.logIn(apis[0].baseUrl);
    calls = [first, callsWith(apis[1].baseUrl, first.token)];
  };

  const readUsage = async () =>
    (await machines.query('select sum(bytes)::int as bytes, sum(reserved)::int as reserved from usage'))[0];

  for (const option of ['--user-quota', '--disk-quota']) {
    it(`hold ${option} when one user uploads to both at once`, async () => {
      await start(option, '10M');
      const bytes = randomBytes(2 * MIB);
      const replies = await Promise.all(
        Array.from({ length: 16 }, (_, index) => calls[index % 2 === 0 ? 0 : 1].upload(bytes, `${index}.stl`)),
      );
      const stored = replies.filter(({ status }) => status === 200).length;
      should(stored).be.within(1, 5);
      should(await readUsage()).eql({ bytes: stored * bytes.length, reserved: 0 });
      const refused = new Set(replies.filter(({ status }) => status !== 200).map(({ status }) => status));
      should([...refused]).eql([507]);
    });
  }

  it('keep nothing reserved for an upload that repeats another one at the same time', async () => {
    await start();
    const bytes = randomBytes(MIB);
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(calls.map(({ upload }) => upload(bytes, 'a.stl', headers)));
    should(replies.map(({ status }) => status)).eql([200, 200]);
    should(await readUsage()).eql({ bytes: MIB, reserved: 0 });
  });

  it('count what had arrived of an upload whose process was killed', async () => {
    await start('--user-quota', '10M');
    const upload = startUpload(calls[0], 7 * MIB);
    upload.send(randomBytes(6 * MIB));
    await eventually('space is reserved', async () => Number((await readUsage())?.reserved) >= 6 * MIB);
    apis[0].child.kill('SIGKILL');
    await upload.untilClosed();
    should(await calls[1].upload(randomBytes(5 * MIB), 'a.stl')).match({ status: 507 });
    should(await calls[1].upload(randomBytes(2 * MIB), 'b.stl')).match({ status: 200 });
  });

  it('refuse an output that does not fit, and keep nothing reserved', async () => {
    await start();
    const { body } = await calls[0].upload(OPEN_CUBE, 'cube.stl');
    await machines.query('update "user" set quota_bytes = 700');
    await machines.startWorker(['--workers', '1']);
    const imported = await calls[1].post('import', { fileId: body.fileId });
    const { body: status } = await calls[0].untilCompleted(imported.body.operationId);
    status.should.match({ isSuccessful: false });
    should(JSON.stringify(status)).match(/Quota of the user exceeded/);
    should((await readUsage())?.reserved).equal(0);
  });
});
