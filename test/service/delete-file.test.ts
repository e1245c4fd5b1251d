import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import type { RunningService, ServeOptions } from '../../src/service/serve.js';
import { eventually, findDescendants } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { CUBE, OPEN_CUBE } from './support/models.js';
import { addSignedInUser } from './support/users.js';
import { withServiceOfEachTest } from './support/with-service.js';

const KERNEL = path.resolve('test/service/support/kernels/by-filename.mjs');
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

function kernelProcesses() {
  return findDescendants(process.pid).filter(({ command }) => command.includes('by-filename.mjs'));
}

describe('DELETE /web-api/operation/file/{id}', () => {
  let folder: string;
  let service: RunningService;
  let ann: Calls;
  let bob: Calls;

  const startService = withServiceOfEachTest((bench) => ({ folder, service, api: ann } = bench));

  const start = async (options: Partial<ServeOptions> = {}): Promise<void> => {
    await startService(options);
    bob = await addSignedInUser(folder, 'bob');
  };

  const pathOf = (id: string): string => path.join(folder, 'blobs', id.slice(0, 2), id);

  /** Returns the names of all blobs and records. */
  const listNames = (): string[] => {
    const parts = readdirSync(path.join(folder, 'blobs'));
    return parts.flatMap((part) => readdirSync(path.join(folder, 'blobs', part)));
  };

  const upload = async (api: Calls, bytes: string | Uint8Array = CUBE, filename = 'cube.stl'): Promise<string> =>
    (await api.upload(bytes, filename)).body.fileId;

  const importFile = async (api: Calls, fileId: string): Promise<string> =>
    (await api.run('import', { fileId })).result.body.resultId;

  const isExported = async (api: Calls, inputId: string): Promise<boolean> => {
    const { result } = await api.run('export', { inputId, exportToFormat: 'stl' });
    return (await api.get(`file/${result.body.fileId}`)).status === 200;
  };

  afterEach(async () => {
    kernelProcesses().should.deepEqual([]);
    should(readdirSync(path.join(folder, 'temp'))).be.empty();
  });

  it('deletes an upload, a model and an export with their records, whose ids are 410 from then on', async () => {
    await start();
    const fileId = await upload(ann);
    const imported = await ann.run('import', { fileId });
    const { resultId } = imported.result.body;
    const exported = await ann.run('export', { inputId: resultId, exportToFormat: 'stl' });
    const exportedId = exported.result.body.fileId;
    should((await ann.remove(`file/${fileId.toUpperCase()}`)).body).deepEqual({ fileId, cancelledOperations: [] });
    should((await ann.remove(`file/${resultId}`)).body).deepEqual({ resultId, cancelledOperations: [] });
    should((await ann.remove(`file/${exportedId}`)).body).deepEqual({ fileId: exportedId, cancelledOperations: [] });
    should(listNames()).be.empty();
    const replies = [
      await ann.get(`file/${fileId}`),
      await ann.get(`file/${exportedId}`),
      await ann.post('import', { fileId }),
      await ann.post('repair', { inputId: resultId }),
      await ann.get(`${imported.operationId}/import/result`),
      await ann.get(`${exported.operationId}/export/result`),
      await ann.remove(`file/${fileId}`),
      await ann.remove(`file/${resultId}`),
    ];
    should(replies.map(({ status, body }) => [status, body.errors[0].code])).deepEqual(replies.map(() => [410, 41000]));
    (await ann.get(`${imported.operationId}/status`)).body.isSuccessful.should.be.true();
  });

  it('is 404 for an unknown id and for a file of another user, which stays', async () => {
    await start();
    const fileId = await upload(ann);
    const resultId = await importFile(ann, fileId);
    for (const id of [fileId, resultId, UNKNOWN_ID, 'status']) {
      const reply = await bob.remove(`file/${id}`);
      reply.status.should.equal(404);
      should(reply.body).match({ errors: [{ code: 40401 }] });
    }
    (await ann.get(`file/${fileId}`)).status.should.equal(200);
    (await isExported(ann, resultId)).should.be.true();
  });

  it('leaves the equal file of another user, and equal results of the same user', async () => {
    await start();
    const [fileId, again, ofBob] = [await upload(ann), await upload(ann), await upload(bob)];
    const [first, second, model] = [
      await importFile(ann, fileId),
      await importFile(ann, again),
      await importFile(bob, ofBob),
    ];
    should(statSync(pathOf(second)).ino).equal(statSync(pathOf(first)).ino); // reused from the result cache
    for (const id of [fileId, first]) (await ann.remove(`file/${id}`)).status.should.equal(200);
    (await isExported(ann, second)).should.be.true();
    should(await importFile(ann, again)).be.a.String(); // from the remaining one
    (await isExported(bob, model)).should.be.true();
    should((await bob.get(`file/${ofBob}`)).body).equal(CUBE);
  });

  it('does not reuse a deleted result', async () => {
    await start();
    const fileId = await upload(ann, OPEN_CUBE);
    const first = await importFile(ann, fileId);
    await ann.remove(`file/${first}`);
    const second = await importFile(ann, fileId);
    (await isExported(ann, second)).should.be.true();
    (await ann.post('repair', { inputId: first })).status.should.equal(410);
    should(await (await fetch(`${service.baseUrl}/metrics`)).text()).match(/^model_processing_cache_hits_total 0$/m);
  });

  it('cancels the unfinished operations of the file, and no others', async () => {
    await start({ kernelProgram: KERNEL, plan: { workers: 2, jobMemoryBytes: 256 * 1024 ** 2 } });
    const [deleted, other, ofBob] = [
      await upload(ann, 'same', 'hang.stl'),
      await upload(ann, 'same', 'hang.stl'),
      await upload(bob, 'same', 'hang.stl'),
    ];
    const startImport = async (api: Calls, fileId: string): Promise<string> =>
      (await api.post('import', { fileId })).body.operationId;
    const running = await startImport(ann, deleted);
    const runningOfBob = await startImport(bob, ofBob);
    await eventually('both run', () => kernelProcesses().length === 2);
    const [queued, another] = [await startImport(ann, deleted), await startImport(ann, other)];
    const { body } = await ann.remove(`file/${deleted}`);
    should(new Set(body.cancelledOperations)).deepEqual(new Set([running, queued]));
    for (const id of [running, queued]) {
      should((await ann.get(`${id}/status`)).body).match({ isCompleted: true, error: { code: 42217 } });
    }
    await eventually('the next one runs', async () => (await ann.get(`${another}/status`)).body.startedAt);
    (await ann.get(`${another}/status`)).body.isCompleted.should.be.false();
    (await bob.get(`${runningOfBob}/status`)).body.isCompleted.should.be.false();
    await Promise.all([ann.remove(another), bob.remove(runningOfBob)]);
    await eventually('no kernel process remains', () => kernelProcesses().length === 0);
  });

  it('lets a running download finish', async () => {
    await start();
    const bytes = Buffer.alloc(40 * 1024 * 1024, 'model');
    const fileId = await upload(ann, bytes, 'large.stl');
    const headers = { authorization: `Bearer ${ann.token}` };
    const download = await fetch(`${service.baseUrl}/web-api/operation/file/${fileId}`, { headers });
    (await ann.remove(`file/${fileId}`)).status.should.equal(200);
    existsSync(pathOf(fileId)).should.be.false();
    const hash = createHash('sha256').update(new Uint8Array(await download.arrayBuffer()));
    should(hash.digest('hex')).equal(createHash('sha256').update(bytes).digest('hex'));
    (await ann.get(`file/${fileId}`)).status.should.equal(410);
  });

  it('deletes a damaged file', async () => {
    await start();
    const fileId = await upload(ann);
    truncateSync(pathOf(fileId), 3);
    (await ann.get(`file/${fileId}`)).body.errors[0].code.should.equal(41001);
    (await ann.remove(`file/${fileId}`)).status.should.equal(200);
    should(listNames()).be.empty();
    (await ann.get(`file/${fileId}`)).body.errors[0].code.should.equal(41000);
  });

  it('deletes once if it is requested several times at once', async () => {
    await start();
    const fileId = await upload(ann);
    const replies = await Promise.all([1, 2, 3, 4].map(() => ann.remove(`file/${fileId}`)));
    should(replies.filter(({ status }) => status === 200)).have.length(1);
    should(replies.filter(({ status }) => status === 410)).have.length(3);
    should(listNames()).be.empty();
  });
});
