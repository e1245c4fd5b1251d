import { readdir } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { createAccounts } from '../../src/service/store/accounts.js';
import { createCancellations } from '../../src/service/store/cancellations.js';
import { openStore } from '../../src/service/store/sqlite.js';
import { eventually, findDescendants } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { startReceiver } from './support/receiver.js';
import { addSignedInUser, withStore } from './support/users.js';
import { withServiceOfEachTest } from './support/with-service.js';

const KERNEL = path.resolve('test/service/support/kernels/by-filename.mjs');

function kernelProcesses() {
  return findDescendants(process.pid).filter(({ command }) => command.includes('by-filename.mjs'));
}

describe('DELETE /web-api/operation/{id}', () => {
  let folder: string;
  let service: RunningService;
  let ann: Calls;
  let bob: Calls;

  const start = withServiceOfEachTest((bench) => ({ folder, service, api: ann } = bench), {
    kernelProgram: KERNEL,
    plan: { workers: 1, jobMemoryBytes: 256 * 1024 ** 2 },
  });

  const startImport = async (api: Calls, filename: string, callbackUrl?: string): Promise<string> => {
    const { body } = await api.upload('bytes', filename);
    return (await api.post('import', { fileId: body.fileId, callbackUrl })).body.operationId;
  };

  const untilRunning = (api: Calls, id: string) =>
    eventually('it runs', async () => kernelProcesses()[0] && (await api.get(`${id}/status`)).body.startedAt);

  const untilNoKernel = () => eventually('no kernel process remains', () => kernelProcesses().length === 0);

  const shouldBeCancelled = async (api: Calls, id: string): Promise<void> => {
    const { body } = await api.get(`${id}/status`);
    should(body).match({ isCompleted: true, isSuccessful: false, error: { code: 42217 } });
    const result = await api.get(`${id}/import/result`);
    result.status.should.equal(422);
    should(result.body.errors).deepEqual([body.error]);
  };

  beforeEach(async () => {
    await start();
    bob = await addSignedInUser(folder, 'bob');
  });

  afterEach(async () => {
    kernelProcesses().should.deepEqual([]);
    should(await readdir(path.join(folder, 'temp'))).be.empty();
  });

  it('ends the kernel process of a running operation, and the next one of another user runs', async () => {
    const cancelled = await startImport(ann, 'hang.stl');
    const next = await startImport(bob, 'fine.stl');
    await untilRunning(ann, cancelled);
    const reply = await ann.remove(cancelled);
    reply.status.should.equal(200);
    should(reply.body).deepEqual((await ann.get(`${cancelled}/status`)).body);
    await shouldBeCancelled(ann, cancelled);
    (await bob.untilCompleted(next)).body.isSuccessful.should.be.true();
    await untilNoKernel();
  });

  it('completes a queued operation, which then never starts', async () => {
    const running = await startImport(bob, 'hang.stl');
    const queued = await startImport(ann, 'fine.stl');
    await untilRunning(bob, running);
    (await ann.remove(queued.toUpperCase())).body.should.match({ operationId: queued, error: { code: 42217 } });
    (await bob.remove(running)).status.should.equal(200);
    const later = await startImport(ann, 'fine.stl');
    (await ann.untilCompleted(later)).body.isSuccessful.should.be.true();
    await shouldBeCancelled(ann, queued);
    should((await ann.get(`${queued}/status`)).body.startedAt).be.undefined();
  });

  it('gives its place in the queue to another one', async () => {
    await service.close();
    await start({ limits: { maxQueuedPerUser: 1 } });
    const running = await startImport(ann, 'hang.stl');
    await untilRunning(ann, running);
    const { fileId } = (await ann.upload('bytes', 'fine.stl')).body;
    const queued = (await ann.post('import', { fileId })).body.operationId;
    (await ann.post('import', { fileId })).status.should.equal(429);
    await Promise.all([ann.remove(queued), ann.remove(queued)]);
    const { operationId } = (await ann.post('import', { fileId })).body;
    (await ann.post('import', { fileId })).status.should.equal(429);
    (await ann.remove(`file/${fileId}`)).body.cancelledOperations.should.deepEqual([operationId]);
    should(await startImport(ann, 'fine.stl')).be.a.String();
    await ann.remove(running);
  });

  it('is done to all operations of a user that is removed, by another process', async () => {
    const running = await startImport(bob, 'hang.stl');
    await untilRunning(bob, running);
    const queued = await startImport(bob, 'fine.stl');
    const next = await startImport(ann, 'fine.stl');
    await withStore(folder, async (store) => should(await createAccounts(store).removeUser('bob')).be.true());
    (await ann.untilCompleted(next)).body.isSuccessful.should.be.true();
    await untilNoKernel();
    const rows = await withStore(folder, (store) =>
      store.selectFrom('operation').select('error').where('id', 'in', [running, queued]).execute(),
    );
    should(rows.map(({ error }) => JSON.parse(error ?? '').code)).deepEqual([42217, 42217]);
  });

  it('leaves a completed operation as it is, also one that was cancelled', async () => {
    const done = await startImport(ann, 'fine.stl');
    const { body } = await ann.untilCompleted(done);
    should((await ann.remove(done)).body).deepEqual(body);
    (await ann.get(`${done}/import/result`)).status.should.equal(200);
    const cancelled = await startImport(ann, 'hang.stl');
    const replies = await Promise.all([ann.remove(cancelled), ann.remove(cancelled), ann.remove(cancelled)]);
    for (const reply of replies) should(reply.body).deepEqual(replies[0]?.body);
    should((await ann.remove(cancelled)).body).deepEqual(replies[0]?.body);
  });

  it('is 404 for the operation of another user, which goes on, and for an unknown id', async () => {
    const running = await startImport(ann, 'hang.stl');
    await untilRunning(ann, running);
    for (const id of [running, '00000000-0000-4000-8000-000000000000', 'import']) {
      const reply = await bob.remove(id);
      reply.status.should.equal(404);
      should(reply.body).match({ errors: [{ code: 40403 }] });
    }
    (await ann.get(`${running}/status`)).body.isCompleted.should.be.false();
    await ann.remove(running);
  });

  it('ends an operation that another process cancelled in the store', async () => {
    const [running, other] = [await startImport(ann, 'hang.stl'), await startImport(bob, 'fine.stl')];
    await untilRunning(ann, running);
    const store = await openStore(path.join(folder, 'service.db'));
    const { owner } = await store
      .selectFrom('operation')
      .select('owner')
      .where('id', '=', running)
      .executeTakeFirstOrThrow();
    await createCancellations(store).cancel(running, owner, { now: 1, retainedFrom: 1 });
    await store.destroy();
    (await bob.untilCompleted(other)).body.isSuccessful.should.be.true();
    await shouldBeCancelled(ann, running);
    await untilNoKernel();
  });

  it('sends the callback once, as that of an unsuccessful operation', async () => {
    const receiver = await startReceiver([200]);
    try {
      const running = await startImport(ann, 'hang.stl', receiver.url);
      const queued = await startImport(ann, 'hang.stl', receiver.url);
      await untilRunning(ann, running);
      await Promise.all([ann.remove(queued), ann.remove(running), ann.remove(running)]);
      await untilNoKernel();
      await eventually('both were sent', () => receiver.received.length >= 2);
      const bodies = receiver.received.map(({ body }) => JSON.parse(body));
      bodies.should.have.length(2);
      should(new Set(bodies.map(({ operationId }) => operationId))).deepEqual(new Set([running, queued]));
      for (const { isSuccessful } of bodies) isSuccessful.should.equal('false');
    } finally {
      await receiver.close();
    }
  });

  it('stays cancelled if the service stops at the same time, and after the next start', async () => {
    const ids = [await startImport(ann, 'hang.stl'), await startImport(ann, 'hang.stl')];
    await untilRunning(ann, ids[0] ?? '');
    const cancelling = ids.map((id) => ann.remove(id));
    const first = await cancelling[0];
    const [second] = await Promise.allSettled([cancelling[1], service.close()]);
    should(first?.status).equal(200);
    await start({ limits: { operationTimeoutMs: 300 } });
    await shouldBeCancelled(ann, ids[0] ?? '');
    const { body } = await ann.untilCompleted(ids[1] ?? '');
    const isReplied = second.status === 'fulfilled' && second.value?.status === 200;
    body.error.code.should.be.equalOneOf(isReplied ? [42217] : [42217, 42206]);
  });

  it('accepts the header of a JSON body without a body', async () => {
    const running = await startImport(ann, 'hang.stl');
    const headers = { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' };
    const reply = await fetch(`${ann.baseUrl}/web-api/operation/${running}`, { method: 'DELETE', headers });
    reply.status.should.equal(200);
  });
});
