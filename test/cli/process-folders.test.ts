import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { useFolder } from '../service/support/data-folder.js';
import { CUBE, OPEN_CUBE } from '../service/support/models.js';
import { createShell, type Shell } from './support/shell.js';

describe('model-processing process with folders', () => {
  let folder: string;
  let shell: Shell;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    shell = await createShell(folder);
    await mkdir(path.join(folder, 'models/parts/small'), { recursive: true });
    const files = {
      'models/cube.stl': CUBE,
      'models/note.txt': 'no model',
      'models/._cube.stl': 'metadata of macOS',
      'models/parts/part-10.stl': OPEN_CUBE,
      'models/parts/part-2.stl': OPEN_CUBE,
      'models/parts/broken.obj': 'no model',
      'models/parts/small/CUBE.STL': CUBE,
    };
    for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  });

  async function listFiles(name: string): Promise<string[]> {
    const entries = await readdir(path.join(folder, name), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => path.relative(path.join(folder, name), path.join(entry.parentPath, entry.name))).sort();
  }

  const REPAIRED = [
    'cube-repaired.stl',
    'parts/part-10-repaired.stl',
    'parts/part-2-repaired.stl',
    'parts/small/CUBE-repaired.stl',
  ];

  it('processes the files of a folder with a known extension', async () => {
    const { status, stdout, stderr } = await shell.run('model-processing process models');
    should(status).equal(0);
    stdout.should.equal('models/cube.stl: solid\n');
    stderr.should.match(/^1 file in \d+\.\d s: 1 solid\n$/);
  });

  it('mirrors folders below --output with --recursive, and continues after a failed file', async () => {
    const { status, stdout, stderr } = await shell.run('model-processing process models -r --repair --to stl -o out');
    should(status).equal(1);
    stdout
      .split('\n')
      .map((line) => line.split(' ')[0])
      .should.deepEqual([
        'models/cube.stl',
        'models/parts/part-2.stl',
        'models/parts/part-10.stl',
        'models/parts/small/CUBE.STL',
        '',
      ]);
    stderr.should.match(/^models\/parts\/broken\.obj: .*\(FILE_\w+\)\n5 files in [\d.]+ s: .*1 failed\n$/);
    (await listFiles('out')).should.deepEqual(REPAIRED);
  });

  it('resumes with --skip-existing: processes missing outputs only', async () => {
    const script = 'model-processing process models --recursive --repair --to stl -o out --skip-existing';
    await shell.run(script);
    await rm(path.join(folder, 'out/parts/part-2-repaired.stl'));
    const before = await stat(path.join(folder, 'out/cube-repaired.stl'));
    const { status, stdout, stderr } = await shell.run(script);
    should(status).equal(1); // broken.obj
    stdout.should.match(/part-2\.stl → /).and.match(/cube\.stl: skipped, the output exists\n/);
    stderr.should.match(/1 failed, 3 skipped\n$/);
    (await listFiles('out')).should.deepEqual(REPAIRED);
    should((await stat(path.join(folder, 'out/cube-repaired.stl'))).mtimeMs).equal(before.mtimeMs);
  });

  it('does not process its own outputs when it resumes in the folder of the inputs', async () => {
    const script = 'model-processing process models --repair --to stl -o models --skip-existing';
    await shell.run(script);
    const { status, stderr } = await shell.run(script);
    should(status).equal(0);
    stderr.should.match(/2 files in [\d.]+ s: 2 skipped/);
    (await readdir(path.join(folder, 'models'))).should
      .containEql('cube-repaired.stl')
      .and.not.containEql('cube-repaired-repaired.stl');
  });

  it('does not search its output folder below the input folder', async () => {
    await shell.run('model-processing process . -r --to obj -o ./out');
    await shell.run('model-processing process . -r --to obj -o ./out');
    (await listFiles('out')).some((file) => file.startsWith('out')).should.be.false();
  });

  it('skips by the output of each file if names collide', async () => {
    await writeFile(
      path.join(folder, 'models/cube.off'),
      'OFF\n4 4 0\n0 0 0\n10 0 0\n0 10 0\n0 0 10\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n',
    );
    const script = 'model-processing process models --to obj -o out --skip-existing';
    (await shell.run(script)).stderr.should.match(/2 files in [\d.]+ s: 2 solid/);
    (await listFiles('out')).should.deepEqual(['cube-2.obj', 'cube.obj']);
    (await shell.run(script)).stderr.should.match(/2 files in [\d.]+ s: 2 skipped/);
  });

  it('follows links to files, but not to folders', async () => {
    await mkdir(path.join(folder, 'links'));
    await symlink(path.join(folder, 'models/cube.stl'), path.join(folder, 'links/linked.stl'));
    await symlink(folder, path.join(folder, 'links/loop'));
    const { stdout } = await shell.run('model-processing process links --recursive');
    stdout.should.equal('links/linked.stl: solid\n');
  });

  it('fails for a folder without models, and continues with other inputs', async () => {
    await mkdir(path.join(folder, 'empty'));
    const { status, stdout, stderr } = await shell.run('model-processing process empty models/cube.stl');
    should(status).equal(1);
    stderr.should.match(/^empty: No file with a known extension.*--recursive\. \(FILE_UNREADABLE\)\n/);
    stdout.should.equal('models/cube.stl: solid\n');
  });

  it('writes one row per file to --table, and keeps an existing table', async () => {
    const name = 'a "quoted", name.stl';
    await writeFile(path.join(folder, 'models', name), CUBE);
    const script = 'model-processing process models --recursive --check --table tables/models.csv';
    const { status, stderr } = await shell.run(script);
    should(status).equal(1);
    stderr.should.match(/6 files in [\d.]+ s: 3 solid, 2 open, 1 failed; table: tables\/models\.csv\n$/);
    const text = await readFile(path.join(folder, 'tables/models.csv'), 'utf8');
    const rows = text.split('\r\n');
    rows.should.have.length(8); // the header, six files, and nothing after the last line break
    should(rows[0]).match(/^input,output,thumbnail,result,level,needsRepair,reasons,triangles,/);
    should(rows[1]).match(
      /^"models\/a ""quoted"", name\.stl",,,done,solid,false,,12,1,0,0,0,0,10,10,10,1000[.\d]*,600,,,,$/,
    );
    text.should.match(/^models\/parts\/broken\.obj,,,failed,,,,.*,FILE_EMPTY,/m);
    await shell.run(script);
    (await readdir(path.join(folder, 'tables'))).sort().should.deepEqual(['models-2.csv', 'models.csv']);
  });

  it('fails if the table cannot be written', async () => {
    const { status, stderr } = await shell.run('model-processing process models --table models/note.txt/table.csv');
    should(status).equal(1);
    stderr.should.match(/^model-processing: Could not write models\/note\.txt\/table\.csv: /);
  });

  for (const [args, message] of [
    ['models -o out.stl', /--output out\.stl is a file, but the input is a folder/],
    ['models --thumbnail one.png', /--thumbnail one\.png is a file, but the input is a folder/],
    ['models --skip-existing', /requires output files\. Add --repair/],
    ['models --repair --check --skip-existing', /Omit --check/],
  ] as const) {
    it(`refuses "${args}" with 2`, async () => {
      const { status, stderr } = await shell.run(`model-processing process ${args}`);
      should(status).equal(2);
      stderr.should.match(message);
    });
  }
});
