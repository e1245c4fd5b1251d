import { createHash } from 'node:crypto';
import should from 'should';
import type { Calls } from '../../service/support/account.js';
import { OPEN_CUBE } from '../../service/support/models.js';
import { Machines } from './support/machines.js';

describe('a service on many machines whose database is lost', function () {
  this.timeout(600_000);
  let machines: Machines;

  before(async () => {
    machines = await Machines.start();
  });

  after(() => machines.stop());

  beforeEach(() => machines.reset());

  afterEach(() => machines.end());

  const download = async (calls: Calls, id: string): Promise<string> => {
    const url = `${calls.baseUrl}/web-api/operation/file/${id}`;
    const reply = await fetch(url, { headers: { authorization: `Bearer ${calls.token}` } });
    should(reply.status).equal(200);
    return createHash('sha256')
      .update(new Uint8Array(await reply.arrayBuffer()))
      .digest('hex');
  };

  /** Resolves with the ids of files and of a model. The second repair reuses the result of the first one. */
  const processTwice = async (calls: Calls): Promise<{ fileIds: string[]; modelId: string }> => {
    const fileIds: string[] = [];
    let modelId = '';
    for (let count = 0; count < 2; count++) {
      const { body } = await calls.upload(OPEN_CUBE, 'a.stl');
      const imported = await calls.run('import', { fileId: body.fileId });
      const repaired = await calls.run('repair', { inputId: imported.result.body.resultId });
      modelId = repaired.result.body.resultId;
      const exported = await calls.run('export', { inputId: modelId, exportToFormat: 'stl' });
      fileIds.push(body.fileId, exported.result.body.fileId);
    }
    return { fileIds, modelId };
  };

  const recover = (args: string[] = []) => machines.run(['recover', ...machines.bucketArguments, ...args]);

  it('serves all files and models again to their users once it was recovered from the bucket', async () => {
    const api = await machines.startApi();
    await machines.startWorker(['--workers', '1']);
    const calls = await machines.logIn(api.baseUrl);
    const { fileIds, modelId } = await processTwice(calls);
    const hashes = await Promise.all(fileIds.map((id) => download(calls, id)));
    const shared = await machines.query(`select blob_key from file group by blob_key having count(*) > 1`);
    should(shared.length).be.above(0);
    await machines.end();

    await machines.loseDatabase();
    should(await recover()).match({ status: 1, errors: /model-processing migrate/ });
    should(await machines.run(['migrate'])).match({ status: 0 });
    should(await machines.run(['serve', '--port', '0', ...machines.bucketArguments])).match({
      status: 1,
      errors: /model-processing recover --take-over/,
    });
    const dry = await recover();
    should(dry.status).equal(0);
    const text = dry.lines.join('\n');
    text.should.match(/^Bucket: .*, which belongs to another database$/m);
    text.should.match(/^Accounts: +1 user, 1 client, from accounts\.json$/m);
    text.should.match(/^Files: +4 files, 4 models of 1 user$/m);
    text.should.match(/Nothing was changed\. .* --apply --take-over\.$/m);
    should(await recover(['--apply'])).match({ status: 1, errors: /--take-over/ });
    should(await recover(['--apply', '--take-over'])).match({ status: 0 });
    should(await recover(['--apply'])).match({ status: 1, errors: /the table "user" has rows/ });

    const next = await machines.startApi();
    await machines.startWorker(['--workers', '1']);
    const again = await machines.signIn(next.baseUrl);
    should(await Promise.all(fileIds.map((id) => download(again, id)))).eql(hashes);
    const exported = await again.run('export', { inputId: modelId, exportToFormat: 'stl' });
    should(await download(again, exported.result.body.fileId)).equal(hashes[1]);
  });
});
