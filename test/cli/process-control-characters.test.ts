import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import { createZip } from '../mesh/formats/zip/zip-bytes.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { CUBE } from '../service/support/models.js';
import { createShell, type Shell } from './support/shell.js';

const TITLE = '\u001b]0;owned\u0007\u009b2J';
/** Everything that a terminal acts on, except line feeds and tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe('model-processing process with control characters in names', () => {
  let folder: string;
  let shell: Shell;

  beforeEach(async () => {
    folder = await createFolder();
    shell = await createShell(folder);
    await mkdir(path.join(folder, 'models'));
    const gltf = { asset: { version: '2.0' }, buffers: [{ uri: `missing${TITLE}.bin`, byteLength: 4 }] };
    const files = {
      [`cube${TITLE}\n.stl`]: CUBE,
      [`broken${TITLE}.stl`]: 'no model',
      'several.zip': createZip({ [`a${TITLE}.stl`]: CUBE, [`b\n${TITLE}.stl`]: CUBE }),
      'reference.gltf': JSON.stringify(gltf),
      'name.obj': `mtllib x${TITLE}.mtl\no part${TITLE}\nv 0 0 0\nf 1 2 3\n`,
    };
    for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, 'models', name), content);
  });

  afterEach(() => removeFolder(folder));

  for (const options of ['', '--report', '--json', '--repair --to stl --output out']) {
    it(`shows none to the terminal: process models ${options}`, async () => {
      const { stdout, stderr } = await shell.run(`model-processing process models ${options}`);
      for (const text of [stdout, stderr]) text.should.not.match(CONTROL);
      const [shown, ...rest] = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('cube'));
      `${shown}`.should.containEql('\\u001b]0;owned\\u0007\\u009b2J');
      rest.should.be.empty();
    });
  }

  for (const command of ['process "$name"', 'process models --"$name"', '"$name"']) {
    it(`shows none in the error of: ${command}`, async () => {
      const { status, stderr } = await shell.run(`name="$(printf 'a\\033[2J\\nb.stl')"; model-processing ${command}`);
      status.should.not.equal(0);
      stderr.should.not.match(CONTROL);
      stderr.should.containEql('a\\u001b[2J');
    });
  }

  it('keeps the names in the table', async () => {
    await shell.run('model-processing process models --table table.csv');
    (await readFile(path.join(folder, 'table.csv'), 'utf8')).should.containEql(TITLE);
  });
});
