import { randomBytes } from 'node:crypto';
import { copyFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import should from 'should';
import { createClient } from '../../../src/client/index.js';
import { createLogger } from '../../../src/service/logger.js';
import type { RunningService } from '../../../src/service/serve.js';
import { openStore } from '../../../src/service/store/sqlite.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import type { Calls } from '../support/account.js';
import { CUBE, OPEN_CUBE } from '../support/models.js';
import { readCredentials } from '../support/running.js';
import { withServiceOfEachTest } from '../support/with-service.js';

const MIB = 1024 * 1024;
const BYTES = randomBytes(3 * MIB + 500);

interface LogLine {
  level: string;
  msg: string;
  files?: { id: string; filename: string }[];
}

describe('a damaged file', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;
  let lines: LogLine[];

  const start = withServiceOfEachTest((bench) => ({ folder, service, api } = bench), {
    logger: createLogger('warn', { write: (line) => lines.push(JSON.parse(line)) }),
  });

  const blobOf = (id: string): string => path.join(folder, 'blobs', id.slice(0, 2), id);

  const upload = async (bytes: Uint8Array | string = BYTES, filename = 'a.stl'): Promise<string> =>
    (await api.upload(bytes, filename)).body.fileId;

  /** Flips one bit of a stored file, without replacing it. */
  const flip = async (id: string, offset: number): Promise<void> => {
    const bytes = await readFile(blobOf(id));
    bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
    await writeFile(blobOf(id), bytes);
  };

  const request = (id: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${api.baseUrl}/web-api/operation/file/${id}`, {
      method,
      headers: { authorization: `Bearer ${api.token}`, ...headers },
    });

  /** Downloads a file. Returns its bytes up to the end, or until the connection was closed. */
  const read = async (id: string, headers: Record<string, string> = {}) => {
    const response = await request(id, headers);
    const chunks: Uint8Array[] = [];
    const isComplete = await (async () => {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
      return true;
    })().catch(() => false);
    return { status: response.status, headers: response.headers, isComplete, bytes: Buffer.concat(chunks) };
  };

  const importModel = async (fileId: string) => (await api.run('import', { fileId })).result;

  beforeEach(async () => {
    lines = [];
    await start();
  });

  const damages: [description: string, damage: (file: string, id: string) => Promise<void>][] = [
    ['was altered in its first block', (_file, id) => flip(id, 7)],
    ['was cut short', (file) => truncate(file, BYTES.length - 1)],
    ['was lengthened', (file) => writeFile(file, 'x', { flag: 'a' })],
    ['was deleted', (file) => rm(file)],
  ];
  for (const [description, damage] of damages) {
    it(`is refused with 410 and logged once with its name if it ${description}`, async () => {
      const id = await upload();
      await damage(blobOf(id), id);
      for (let count = 0; count < 2; count++) {
        const reply = await api.get(`file/${id}`);
        reply.status.should.equal(410);
        reply.body.errors[0].should.match({ code: 41001, message: /Upload it again/ });
        for (const name of ['etag', 'repr-digest', 'content-disposition']) should(reply.headers.get(name)).be.null();
      }
      lines.should.have.length(1);
      should(lines[0]).match({ files: [{ id, filename: 'a.stl' }], msg: /Check the disk.*verify/ });
      (await api.post('import', { fileId: id })).body.errors[0].code.should.equal(41001);
      (await request(id, {}, 'HEAD')).status.should.equal(410);
    });
  }

  it('is refused by HEAD if it was deleted', async () => {
    const id = await upload();
    await rm(blobOf(id));
    (await request(id, {}, 'HEAD')).status.should.equal(410);
  });

  it('is sent up to the altered block, then the connection is closed', async () => {
    const id = await upload();
    await flip(id, 2 * MIB + 5);
    const { status, isComplete, bytes } = await read(id);
    should([status, isComplete]).deepEqual([200, false]);
    bytes.length.should.be.belowOrEqual(2 * MIB);
    bytes.equals(BYTES.subarray(0, bytes.length)).should.be.true();
    (await request(id)).status.should.equal(410);
    lines.should.have.length(1);
  });

  it('is refused to the client with the reason, which leaves no partial file', async () => {
    const { baseUrl } = service;
    const { clientId, clientSecret, username, password } = await readCredentials(folder);
    const client = createClient({ account: { baseUrl, clientId, clientSecret, username, password } });
    const id = await upload();
    await flip(id, 2 * MIB + 5);
    const target = path.join(folder, 'downloads');
    const error = await expectClientError(client.download(id, { to: 'file', folder: target }));
    should(error).match({ code: 'NOT_FOUND', statusCode: 410, message: /missing or was altered/ });
    should(await readdir(target)).be.empty();
    await client.close();
  });

  it('is sent in ranges outside of the altered block until the damage is noticed', async () => {
    const id = await upload();
    await flip(id, MIB + 5);
    (await read(id, { range: `bytes=2-${MIB - 1}` })).bytes.equals(BYTES.subarray(2, MIB)).should.be.true();
    (await read(id, { range: 'bytes=-700' })).bytes.equals(BYTES.subarray(-700)).should.be.true();
    (await read(id, { range: `bytes=${MIB + 900}-${MIB + 901}` })).status.should.equal(410);
    (await read(id, { range: 'bytes=0-1' })).status.should.equal(410);
  });

  it('never results in wrong bytes, whatever byte is altered and whatever range is requested', async function () {
    this.timeout(60_000);
    const offset = fc.nat(BYTES.length - 1);
    await fc.assert(
      fc.asyncProperty(offset, offset, offset, async (altered, one, other) => {
        const id = await upload();
        await flip(id, altered);
        const [first, last] = [Math.min(one, other), Math.max(one, other)];
        for (const range of [{ range: `bytes=${first}-${last}` }, {}]) {
          const reply = await read(id, range);
          const start = reply.status === 206 ? first : 0;
          if (reply.status === 410) continue;
          if (!reply.bytes.equals(BYTES.subarray(start, start + reply.bytes.length))) return false;
        }
        return (await request(id)).status === 410;
      }),
      { numRuns: 20 },
    );
  });

  it('fails a running operation with the same code, and is then refused', async () => {
    const fileId = await upload(CUBE);
    await flip(fileId, 100);
    const { status, body } = await importModel(fileId);
    should([status, body.errors[0].code]).deepEqual([422, 41001]);
    (await api.post('import', { fileId })).status.should.equal(410);
    const deleted = await upload(OPEN_CUBE);
    await rm(blobOf(deleted));
    (await importModel(deleted)).body.errors[0].code.should.equal(41001);
    lines.map(({ files }) => files?.map(({ id }) => id)).should.deepEqual([[fileId], [deleted]]);
  });

  it('is not reused as a cached result: the work is done again', async () => {
    const model = (await importModel(await upload(CUBE))).body;
    await flip(model.resultId, 200);
    const again = (await importModel(await upload(CUBE))).body;
    const repaired = await api.run('repair', { inputId: again.resultId });
    repaired.status.body.isSuccessful.should.be.true();
    (await api.post('repair', { inputId: model.resultId })).status.should.equal(410);
    lines.should.have.length(1);
  });

  it('is reported with all files that have the same bytes on the disk, and no others', async () => {
    const [first, second] = [
      (await importModel(await upload(CUBE))).body,
      (await importModel(await upload(CUBE))).body,
    ];
    const separate = (await importModel(await upload(CUBE))).body;
    await copyFile(blobOf(separate.resultId), `${blobOf(separate.resultId)}.copy`);
    await rm(blobOf(separate.resultId));
    await copyFile(`${blobOf(separate.resultId)}.copy`, blobOf(separate.resultId));
    await flip(first.resultId, 200);
    await api.run('repair', { inputId: first.resultId });
    for (const [{ resultId }, status] of [
      [first, 410],
      [second, 410],
      [separate, 200],
    ] as const) {
      (await api.post('repair', { inputId: resultId })).status.should.equal(status);
    }
    new Set(lines[0]?.files?.map(({ id }) => id)).should.deepEqual(new Set([first.resultId, second.resultId]));
  });

  it('of an earlier version has no digest: it is sent as it is, or refused if it is missing', async () => {
    const [altered, short, missing] = [await upload(), await upload(), await upload()];
    const store = await openStore(path.join(folder, 'service.db'));
    await store.updateTable('file').set({ sha256: null, block_crcs: null }).execute();
    await store.destroy();
    await flip(altered, 7);
    await truncate(blobOf(short), 0);
    await rm(blobOf(missing));
    should((await read(altered)).headers.get('repr-digest')).be.null();
    should((await read(short)).status).equal(410);
    should((await read(missing)).status).equal(410);
    lines.map(({ files }) => files?.map(({ id }) => id)).should.deepEqual([[short], [missing]]);
  });
});
