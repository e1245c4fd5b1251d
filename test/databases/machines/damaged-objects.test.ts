import { randomBytes } from 'node:crypto';
import should from 'should';
import { type Bucket, openBucket } from '../../../src/service/blobs/s3/bucket.js';
import { createLogger } from '../../../src/service/logger.js';
import type { Calls } from '../../service/support/account.js';
import { OPEN_CUBE } from '../../service/support/models.js';
import type { StartedProgram } from '../../service/support/program.js';
import { Machines } from './support/machines.js';

const MIB = 1024 * 1024;

describe('a service on many machines whose objects are missing or altered', function () {
  this.timeout(300_000);
  let machines: Machines;
  let api: StartedProgram;
  let worker: StartedProgram;
  let calls: Calls;
  let bucket: Bucket;

  before(async () => {
    machines = await Machines.start();
    await machines.reset();
    bucket = openBucket(machines.bucket, { logger: createLogger('silent') });
    api = await machines.startApi();
    worker = await machines.startWorker(['--workers', '1', '--scrub-days', '0']);
    calls = await machines.logIn(api.baseUrl);
  });

  after(async () => {
    bucket?.close();
    await machines.end();
    await machines.stop();
  });

  const upload = async (bytes: Uint8Array | string): Promise<string> =>
    (await calls.upload(bytes, 'a.stl')).body.fileId;

  const keyOf = async (id: string): Promise<string> => {
    const [row] = await machines.query(`select blob_key from file where id = '${id}'`);
    return String(row?.blob_key);
  };

  const isMarked = async (id: string): Promise<boolean> => {
    const [row] = await machines.query(`select damaged_at from file where id = '${id}'`);
    return row?.damaged_at !== null;
  };

  const countDamaged = async ({ baseUrl }: StartedProgram): Promise<number> => {
    const text = await (await fetch(`${baseUrl}/metrics`)).text();
    return Number(/^model_processing_damaged_files_total (\d+)$/m.exec(text)?.[1]);
  };

  const countLogged = ({ errors }: StartedProgram, id: string): number =>
    errors()
      .split('\n')
      .filter((line) => line.includes('Stored files are damaged') && line.includes(id)).length;

  it('reply 410 for a missing object from the first request on, and log and count it once', async () => {
    const before = await countDamaged(api);
    const id = await upload('12345');
    await bucket.remove(await keyOf(id));
    for (let count = 0; count < 2; count++) {
      should(await calls.get(`file/${id}`)).match({ status: 410, body: { errors: [{ code: 41001 }] } });
    }
    should(await isMarked(id)).be.true();
    should(countLogged(api, id)).equal(1);
    should(api.errors())
      .match(/Restore their objects/)
      .and.not.match(/\bdisk\b/i);
    should(await countDamaged(api)).equal(before + 1);
  });

  it('reply 410 for an object whose first block was altered', async () => {
    const id = await upload('12345');
    await bucket.put(await keyOf(id), '12346');
    should(await calls.get(`file/${id}`)).match({ status: 410 });
    should(await isMarked(id)).be.true();
  });

  it('cut a download at an altered block, after the bytes before it', async () => {
    const bytes = randomBytes(3 * MIB);
    const id = await upload(bytes);
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(2 * MIB + 5) ^ 1, 2 * MIB + 5);
    await bucket.put(await keyOf(id), altered);
    const url = `${calls.baseUrl}/web-api/operation/file/${id}`;
    const reply = await fetch(url, { headers: { authorization: `Bearer ${calls.token}` } });
    should(reply.status).equal(200);
    const chunks: Uint8Array[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of reply.body ?? []) chunks.push(chunk);
    };
    await should(read()).be.rejected();
    const received = Buffer.concat(chunks);
    should(received.length).be.belowOrEqual(2 * MIB);
    should(received.equals(bytes.subarray(0, received.length))).be.true();
    should(await calls.get(`file/${id}`)).match({ status: 410 });
    should(countLogged(api, id)).equal(1);
  });

  it('fail an operation whose input is missing or altered, without an output', async () => {
    const [missing, altered] = [await upload(OPEN_CUBE), await upload(OPEN_CUBE)];
    await bucket.remove(await keyOf(missing));
    await bucket.put(await keyOf(altered), String(OPEN_CUBE).replace('10', '11'));
    const before = await countDamaged(worker);
    for (const id of [missing, altered]) {
      const { status } = await calls.run('import', { fileId: id });
      should(status.body).match({ isCompleted: true, isSuccessful: false, error: { code: 41001 } });
      should(`${JSON.stringify(status.body)} ${worker.errors()}`).not.match(/\bdisk\b/i);
      should(await isMarked(id)).be.true();
      should(countLogged(worker, id)).equal(1);
      should(await calls.post('import', { fileId: id })).match({ status: 410 });
    }
    should(await countDamaged(worker)).equal(before + 2);
    should(await machines.query("select id from file where kind = 'model'")).be.empty();
  });

  it('run an operation again whose earlier result is missing, although the worker has a copy', async () => {
    const fileId = await upload(`${OPEN_CUBE}\n`);
    const first = await calls.run('import', { fileId });
    await bucket.remove(await keyOf(first.result.body.resultId));
    const second = await calls.run('import', { fileId });
    const key = await keyOf(second.result.body.resultId);
    should(key).not.equal(await keyOf(first.result.body.resultId));
    should(await bucket.exists(key)).be.true();
    should(await isMarked(first.result.body.resultId)).be.true();
  });

  it('run an operation again whose earlier result was altered, on another worker', async () => {
    const imported = await calls.run('import', { fileId: await upload(`${OPEN_CUBE}\n\n`) });
    const inputId = imported.result.body.resultId;
    const exportAgain = async (): Promise<string> =>
      (await calls.run('export', { inputId, exportToFormat: 'stl' })).result.body.fileId;
    const first = await exportAgain();
    const expected = (await calls.get(`file/${first}`)).body;
    const stored = await bucket.get(await keyOf(first), 0, MIB);
    const altered = Buffer.concat((await stored?.stream.toArray()) ?? []);
    altered.writeUInt8(altered.readUInt8(90) ^ 1, 90);
    await bucket.put(await keyOf(first), altered);
    worker.child.kill('SIGTERM');
    await worker.ended;
    worker = await machines.startWorker(['--workers', '1', '--scrub-days', '0']);
    const second = await exportAgain();
    should(await keyOf(second)).not.equal(await keyOf(first));
    should(await calls.get(`file/${second}`)).match({ status: 200, body: expected });
    should(await calls.get(`file/${first}`)).match({ status: 410 });
  });
});
