import { createHash } from 'node:crypto';
import path from 'node:path';
import { sql } from 'kysely';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import type { Store } from '../../src/service/store/database.js';
import { openStore } from '../../src/service/store/sqlite.js';
import type { Calls } from './support/account.js';
import { CUBE } from './support/models.js';
import { addSignedInUser } from './support/users.js';
import { withServiceOfEachTest } from './support/with-service.js';

const KERNEL = path.resolve('test/service/support/kernels/by-filename.mjs');

describe('the lists of operations and of files', () => {
  let folder: string;
  let service: RunningService;
  let ann: Calls;
  let bob: Calls;
  let now: number;

  const upload = async (api: Calls, filename: string): Promise<string> =>
    (await api.upload(CUBE, filename)).body.fileId;

  /** Lists the files of a user in parts of `limit`. */
  const listIds = async (api: Calls, limit: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let query = `?limit=${limit}`; query !== ''; ) {
      const { body } = await api.get(`file${query}`);
      for (const { fileId, resultId } of body.files) ids.push(fileId ?? resultId);
      body.files.length.should.be.belowOrEqual(limit);
      query = body.next === undefined ? '' : `?limit=${limit}&before=${body.next}`;
    }
    return ids;
  };

  const start = withServiceOfEachTest((bench) => ({ folder, service, api: ann } = bench), {
    kernelProgram: KERNEL,
    now: () => now,
  });

  beforeEach(async () => {
    now = Date.now();
    await start();
    bob = await addSignedInUser(folder, 'bob');
  });

  it('contain what the user has, newest first, and nothing of another user', async () => {
    const fileId = await upload(ann, 'fine.stl');
    now += 1;
    await upload(bob, 'of-bob.stl');
    const { operationId, status, result } = await ann.run('import', { fileId });
    now += 1;
    const failed = await ann.run('import', { fileId: await upload(ann, 'crash.stl') });
    const files = (await ann.get('file')).body;
    should(files).not.have.property('next');
    should(files.files).match([
      { kind: 'file', filename: 'crash.stl' },
      { resultId: result.body.resultId, kind: 'model', filename: 'fine.stl', size: 1000 },
      {
        fileId,
        kind: 'file',
        filename: 'fine.stl',
        size: CUBE.length,
        creationDate: /\.\d{3}\+00:00$/,
        sha256: createHash('sha256').update(CUBE).digest('hex'),
      },
    ]);
    const { report: _, ...record } = status.body;
    should((await ann.get('')).body.operations).deepEqual([
      { ...failed.status.body, inputId: files.files[0].fileId, filename: 'crash.stl' },
      { ...record, inputId: fileId, filename: 'fine.stl', resultId: result.body.resultId },
    ]);
    operationId.should.equal(record.operationId);
    (await bob.get('')).body.should.deepEqual({ operations: [] });
    (await bob.get('file')).body.files.should.match([{ filename: 'of-bob.stl' }]);
  });

  it('come in parts, each entry once, also of entries with the same time', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) {
      if (index % 3 === 0) now += 1;
      ids.push(await upload(ann, `${index}.stl`));
      await upload(bob, `${index}.stl`);
    }
    for (const limit of [1, 2, 3, 7, 1000]) {
      const listed = await listIds(ann, limit);
      listed.should.have.length(7);
      should(new Set(listed)).deepEqual(new Set(ids));
      listed[6]?.should.be.equalOneOf(ids.slice(0, 3));
    }
    for (let index = 0; index < 3; index++) await ann.post('import', { fileId: ids[index] });
    const first = (await ann.get('?limit=2')).body;
    const second = (await ann.get(`?limit=2&before=${first.next.toUpperCase()}`)).body;
    should(second).not.have.property('next');
    should(new Set([...first.operations, ...second.operations].map(({ inputId }) => inputId))).have.size(3);
  });

  it('go on after an entry that was deleted meanwhile, and leave out deleted files', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) {
      now += 1;
      ids.unshift(await upload(ann, `${index}.stl`));
    }
    const { body } = await ann.get('file?limit=2');
    await ann.remove(`file/${ids[1]}`);
    const store = await openStore(path.join(folder, 'service.db'));
    await store
      .deleteFrom('file')
      .where('id', '=', ids[1] ?? '')
      .execute();
    await store.destroy();
    const rest = (await ann.get(`file?before=${body.next}`)).body.files;
    should(rest.map(({ fileId }: { fileId: string }) => fileId)).deepEqual(ids.slice(2));
    await ann.remove(`file/${ids[3]}`);
    should(await listIds(ann, 100)).deepEqual([ids[0], ids[2]]);
  });

  const INVALID = [
    ['limit', ['0', '1001', '-1', '1.5', '', 'all', '1&limit=2', '%00', '1e2']],
    ['before', ['', 'x', '1', '00000000-0000-4000-8000-000000000000', "1-' or 1=1", '1-2&before=1-2']],
  ] as const;
  for (const [parameter, values] of INVALID) {
    it(`reply with 40001 and the name of ${parameter} if it is invalid`, async () => {
      for (const value of values) {
        for (const list of ['', 'file']) {
          const reply = await ann.get(`${list}?${parameter}=${value}`);
          should(reply.status).equal(400, value);
          should(reply.body).match({ errors: [{ code: 40001, message: new RegExp(`Invalid ${parameter}`) }] });
        }
      }
    });
  }

  it('are found by paths in any case, and do not hide other endpoints', async () => {
    const fileId = await upload(ann, 'fine.stl');
    const headers = { authorization: `Bearer ${ann.token}` };
    const get = (route: string) => fetch(`${service.baseUrl}${route}`, { headers });
    should(await (await get('/WEB-API/Operation/FILE/')).json()).have.property('files');
    should(await (await get('/Web-Api/Operation/')).json()).have.property('operations');
    (await get('/web-api/operation/import')).status.should.equal(404);
    (await get('/web-api/operation/file/status')).status.should.equal(404);
    (await get(`/web-api/operation/FILE/${fileId}`)).status.should.equal(200);
    (await ann.remove('file')).status.should.equal(404);
    (await fetch(`${service.baseUrl}/web-api/operation`)).status.should.equal(401);
    (await fetch(`${service.baseUrl}/web-api/operation/file`)).status.should.equal(401);
  });

  describe('in the store', () => {
    let store: Store;

    beforeEach(async () => {
      store = await openStore(path.join(folder, 'service.db'));
    });

    afterEach(() => store.destroy());

    const planOf = async (query: string): Promise<string> => {
      const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(query)}`.execute(store);
      return rows.map(({ detail }) => detail).join('; ');
    };

    it('do not make the search for a cached result slower', async () => {
      const where = "owner = 'me' and input_hash = 'h' and kind = 'import' and filename = 'a' and is_successful = 1";
      const plan = await planOf(`select * from operation where ${where} order by finished_at desc limit 1`);
      plan.should.match(/operation_input_hash \(owner=\? AND input_hash=\? AND kind=\?\)/);
    });

    it('do not make the search for the operations of a file slower', async () => {
      const plan = await planOf("update operation set progress = 1 where input_id = 'i' and state = 'queued'");
      plan.should.match(/operation_input \(input_id=\?\)/);
    });

    for (const [table, condition] of [
      ['operation', ''],
      ['file', 'and deleted_at is null'],
    ]) {
      it(`are read by an index of ${table}, without sorting`, async () => {
        const where = `owner = 'me' ${condition} and (created_at, id) < (7, 'x')`;
        const plan = await planOf(`select id from ${table} where ${where} order by created_at desc, id desc limit 10`);
        plan.should.match(new RegExp(`USING (COVERING )?INDEX ${table}_list`));
        plan.should.not.match(/TEMP B-TREE/);
      });
    }
  });
});
