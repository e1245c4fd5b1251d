import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { createZip } from '../mesh/formats/zip/zip-bytes.js';
import { CUBE, OPEN_CUBE } from '../service/support/models.js';
import { runProgram } from '../service/support/program.js';
import { useProcessFolder } from './support/process-folder.js';

describe('model-processing process with a ZIP of several models', () => {
  let folder: string;
  const pathOf = (name: string): string => path.join(folder, name);
  const run = (...args: string[]) => runProgram(['process', ...args]);
  const KIT = {
    'files/lid.stl': CUBE,
    'files/base.stl': OPEN_CUBE,
    'other/lid.stl': CUBE,
    'images/lid.png': 'x',
    'README.txt': 'text',
    '__MACOSX/files/._lid.stl': 'x',
  };

  useProcessFolder((created) => (folder = created));
  beforeEach(() => writeFile(pathOf('kit.zip'), createZip(KIT)));

  it('processes each model, and writes files named after the ZIP and the model', async () => {
    const { status, lines, errors } = await run(pathOf('kit.zip'), '--repair', '--to', 'off', '-o', pathOf('out'));
    should(status).equal(0, errors);
    lines.length.should.equal(3);
    lines
      .join('\n')
      .should.match(/kit\.zip: files\/lid\.stl → .*kit-lid-repaired\.off: solid\n.*kit\.zip: files\/base\.stl/);
    errors.should.match(/^3 files in .*: 3 solid/m);
    const names = ['kit-base-repaired.off', 'kit-lid-repaired-2.off', 'kit-lid-repaired.off'];
    (await readdir(pathOf('out'))).sort().should.deepEqual(names);
  });

  it('reports each model, and fails if one is not printable', async () => {
    const { status, lines } = await run(
      pathOf('kit.zip'),
      pathOf('cube.stl'),
      '--json',
      '--check',
      '--table',
      pathOf('t.csv'),
    );
    should(status).equal(1);
    lines
      .map((line) => JSON.parse(line))
      .should.match([
        { input: pathOf('kit.zip'), entry: 'files/lid.stl', verdict: { level: 'solid' } },
        { entry: 'files/base.stl', verdict: { level: 'open' } },
        { entry: 'other/lid.stl', verdict: { level: 'solid' } },
        { input: pathOf('cube.stl'), verdict: { level: 'solid' } },
      ]);
    (await readFile(pathOf('t.csv'), 'utf8')).should.containEql('kit.zip: files/base.stl,,,done,open,');
  });

  it('processes the model of --entry only', async () => {
    const { status, lines } = await run(pathOf('kit.zip'), '--entry', 'BASE.stl', '--to', 'obj', '-o', pathOf('b.obj'));
    should(status).equal(0);
    lines.should.match([/files\/base\.stl|BASE\.stl → .*b\.obj: open/]);
    const unknown = await run(pathOf('kit.zip'), '--entry', 'lid.stl');
    should(unknown.status).equal(1);
    unknown.errors.should.match(/“lid\.stl” is the name of “files\/lid\.stl”, “other\/lid\.stl”.*\(ENTRY_UNKNOWN\)/);
  });

  it('fails with the names of the models if the output is one file', async () => {
    const { status, errors } = await run(pathOf('kit.zip'), '-o', pathOf('kit.stl'));
    should(status).equal(1);
    errors.should.match(/it contains 3 models: “files\/lid\.stl”, .*\(SEVERAL_MODELS\)/);
  });

  it('skips models whose outputs exist', async () => {
    const args = [pathOf('kit.zip'), '--to', 'stl', '-o', pathOf('out'), '--skip-existing'];
    should((await run(...args)).errors).match(/3 files in/);
    const { errors } = await run(...args);
    errors.should.match(/3 files in .*: 3 skipped/);
    (await readdir(pathOf('out'))).sort().should.deepEqual(['kit-base.stl', 'kit-lid-2.stl', 'kit-lid.stl']);
  });

  it('refuses --entry for several inputs', async () => {
    const { status, errors } = await run(pathOf('kit.zip'), pathOf('cube.stl'), '--entry', 'a');
    should(status).equal(2);
    errors.should.containEql('--entry names a model in one ZIP, but there are 2 inputs');
  });
});
