import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { createPrng } from '../../src/mesh/core/prng.js';
import { type Calls, logIn } from '../service/support/account.js';
import { useFolder } from '../service/support/data-folder.js';
import { CUBE } from '../service/support/models.js';
import { type Program, runProgram, startServe, stopProgram } from '../service/support/program.js';
import { copyTemplate } from '../service/support/template-folder.js';

// The files and the models of the last test, each. The soak sets it to 200.
const COUNT = 12;

describe('model-processing verify', () => {
  let folder: string;
  let service: Program;
  let api: Calls;

  const start = async (): Promise<void> => {
    service = await startServe(folder, ['--cache', 'off', '--scrub-days', '0']);
    api = await logIn(folder);
  };

  const stop = () => stopProgram(service);

  const verify = (...options: string[]) => runProgram(['verify', '--data', folder, ...options]);

  const blobOf = (id: string): string => path.join(folder, 'blobs', id.slice(0, 2), id);

  const upload = async (text: string): Promise<string> => (await api.upload(text, 'cube.stl')).body.fileId;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    await copyTemplate(folder);
    await start();
  });

  afterEach(() => stop());

  it('reports that all files are sound, beside a service or without one', async () => {
    await upload(CUBE);
    const summary = ['Files and models: 1. Sound: 1. Damaged: 0. Without a digest: 0.'];
    should(await verify()).match({ status: 0, lines: summary, errors: '' });
    await stop();
    should(await verify()).match({ status: 0, lines: summary, errors: '' });
    await start();
  });

  it('names damaged files and rebuilt records, with status 1, and restored files in the next run', async () => {
    const [damaged, unrecorded] = [await upload(CUBE), await upload(CUBE)];
    await writeFile(blobOf(damaged), CUBE.replace('10', '11'));
    await rm(`${blobOf(unrecorded)}.json`);
    const { status, lines } = await verify();
    should(status).equal(1);
    should(new Set(lines.map((line) => line.split('\t').slice(0, 4).join(' ')))).deepEqual(
      new Set([
        `damaged file ${damaged} cube.stl`,
        `record rebuilt file ${unrecorded} cube.stl`,
        'Files and models: 2. Sound: 1. Damaged: 1. Without a digest: 0.',
      ]),
    );
    (await api.get(`file/${damaged}`)).status.should.equal(410);
    await writeFile(blobOf(damaged), CUBE);
    should((await verify()).lines[0]).equal(`restored\tfile\t${damaged}\tcube.stl`);
    (await api.get(`file/${damaged}`)).status.should.equal(200);
  });

  it('empties the quarantine with --purge only', async () => {
    const quarantine = path.join(folder, 'quarantine');
    await mkdir(quarantine);
    await writeFile(path.join(quarantine, 'x'), 'bytes');
    await verify();
    should(await readdir(quarantine)).deepEqual(['x']);
    should((await verify('--purge')).lines).containEql('Deleted from quarantine: 1.');
    should(await readdir(quarantine)).be.empty();
  });

  it('refuses a folder without a database, and creates nothing in it', async () => {
    const empty = path.join(folder, 'empty');
    await mkdir(empty);
    const { status, errors } = await runProgram(['verify', '--data', empty]);
    should(status).equal(5);
    errors.should.match(/empty has no service\.db/);
    should(await readdir(empty)).be.empty();
  });

  it('finds each file and model with one altered byte, none of which is delivered or used', async () => {
    const random = createPrng(1);
    const files: string[] = [];
    const models: string[] = [];
    for (let count = 0; count < COUNT; count++) {
      files.push(await upload(CUBE));
      models.push((await api.run('import', { fileId: await upload(CUBE) })).result.body.resultId);
    }
    for (const id of [...files, ...models]) {
      const bytes = await readFile(blobOf(id));
      const offset = Math.floor(random() * bytes.length);
      bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 + Math.floor(random() * 255)), offset);
      await writeFile(blobOf(id), bytes);
    }
    for (const [index, id] of files.entries()) {
      if (index % 3 === 0) (await api.get(`file/${id}`)).status.should.equal(410);
      if (index % 3 === 1) (await api.get(`file/${id}`, { range: 'bytes=5-50' })).status.should.equal(410);
      if (index % 3 === 2) (await api.run('import', { fileId: id })).result.body.errors[0].code.should.equal(41001);
    }
    for (const [index, inputId] of models.entries()) {
      if (index % 2 > 0) continue; // left for verify
      (await api.run('repair', { inputId })).result.body.errors[0].code.should.equal(41001);
    }
    const { status, lines } = await verify();
    const found = lines.filter((line) => line.startsWith('damaged')).map((line) => line.split('\t')[2]);
    should(status).equal(1);
    should(new Set(found)).deepEqual(new Set([...files, ...models]));
  });
});
