import { readFile } from 'node:fs/promises';
import should from 'should';
import { type Client, createClient } from '../../src/client/index.js';
import type { RunningService } from '../../src/service/serve.js';
import { countOf } from '../helpers/counts.js';
import { expectClientError } from '../helpers/expect-client-error.js';
import { type LosingProxy, startLosingProxy } from '../helpers/losing-proxy.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { readCredentials, startService } from '../service/support/running.js';
import { addUserWithPassword } from '../service/support/users.js';

const START_COUNT = countOf('starts whose replies the local service loses');

describe('the client with the local service', () => {
  let folder: string;
  let service: RunningService;
  let proxy: LosingProxy;
  let ann: Client;
  let bob: Client;

  before(async function () {
    this.timeout(60_000);
    folder = await createFolder();
    service = await startService(folder);
    const account = await readCredentials(folder);
    proxy = await startLosingProxy(account.baseUrl, 2);
    const limits = { pollMinMs: 50, pollMaxMs: 200, retryBaseMs: 20 };
    ann = createClient({ account: { ...account, baseUrl: proxy.baseUrl }, idempotencyKeys: true, limits });
    const other = { username: 'bob', password: 'the password of bob' };
    await addUserWithPassword(folder, other.username, other.password);
    bob = createClient({ account: { ...account, ...other }, limits });
  });
  after(async () => {
    await Promise.all([ann.close(), bob.close()]);
    await proxy.close();
    await service.close();
    await removeFolder(folder);
  });

  const collect = async <T>(records: AsyncIterable<T>) => {
    const list: T[] = [];
    for await (const record of records) list.push(record);
    return list;
  };
  const upload = async (client: Client) =>
    client.upload({ data: await readFile('samples/bracket.stl'), filename: 'bracket.stl' });

  it(`makes ${START_COUNT} starts whose replies are lost twice into as many operations`, async () => {
    const { fileId } = await upload(ann);
    const start = () => ann.start('import', { fileId });
    const handles = await Promise.all(Array.from({ length: START_COUNT }, start));
    const operations = await collect(ann.list('operations', { pageSize: 10 }));
    new Set(operations.map(({ operationId }) => operationId)).should.deepEqual(
      new Set(handles.map(({ operationId }) => operationId)),
    );
    operations.should.have.length(START_COUNT);
    proxy.lostCount().should.equal(2 * (START_COUNT + 1));
    (await collect(ann.list('files'))).filter(({ kind }) => kind === 'file').should.have.length(1);
    (await collect(bob.list('operations'))).should.be.empty();
  });

  it('cancels an operation, which ends its wait, but not one of another user', async () => {
    const { fileId } = await upload(ann);
    const waits = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const { operationId } = await ann.start('import', { fileId, measurementUnits: 'inch' });
        return { operationId, ended: ann.wait(operationId, 'import').catch((error: unknown) => error) };
      }),
    );
    const last = waits.at(-1);
    if (!last) throw new Error('No operation was started.');
    (await expectClientError(bob.cancel(last.operationId))).code.should.equal('NOT_FOUND');
    const { isSuccessful, error } = await ann.cancel(last.operationId);
    if (!isSuccessful) {
      should(error?.code).equal(42217);
      should(await last.ended).have.properties({ code: 'OPERATION_FAILED', isCancelled: true });
    }
    await Promise.all(waits.map(({ ended }) => ended));
  });

  it('removes a file once, with its unfinished operations, but not a file of another user', async () => {
    const { fileId } = await upload(ann);
    const { operationId } = await ann.start('import', { fileId, measurementUnits: 'cm' });
    (await expectClientError(bob.remove(fileId))).code.should.equal('NOT_FOUND');
    const { cancelledOperations } = await ann.remove(fileId);
    cancelledOperations.every((id) => id === operationId).should.be.true();
    (await ann.remove(fileId)).should.deepEqual({ cancelledOperations: [] });
    const remaining = await collect(ann.list('files'));
    remaining.some((file) => file.kind === 'file' && file.fileId === fileId).should.be.false();
  });
});
