import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { gltfPair } from '../mesh/formats/files/gltf-pair.js';
import { createZip } from '../mesh/formats/zip/zip-bytes.js';
import { runProgram } from '../service/support/program.js';
import { useProcessFolder } from './support/process-folder.js';

describe('model-processing process with a glTF and its buffer', () => {
  let folder: string;
  const pathOf = (name: string): string => path.join(folder, name);
  const run = (...args: string[]) => runProgram(['process', ...args]);
  const { gltf, bin } = gltfPair('data/cube.bin');
  const check = async (uri: string) => {
    await writeFile(pathOf('in/a.gltf'), gltfPair(uri).gltf);
    return run(pathOf('in/a.gltf'), '--json');
  };

  useProcessFolder((created) => (folder = created));

  beforeEach(async () => {
    await mkdir(pathOf('in/data'), { recursive: true });
    await writeFile(pathOf('in/data/cube.bin'), bin);
    await writeFile(pathOf('secret.bin'), bin);
  });

  it('takes the buffer from beside the file', async () => {
    await symlink(pathOf('in/data/cube.bin'), pathOf('in/link.bin'));
    for (const uri of ['data/cube.bin', './data/cube%2Ebin', 'link.bin']) {
      const { status, lines, errors } = await check(uri);
      should(status).equal(0, errors);
      should(JSON.parse(lines[0] ?? '')).match({ verdict: { level: 'solid' } });
    }
  });

  it('takes it without regard to case, normalization and encoded characters', async () => {
    await writeFile(pathOf('in/data/Wu\u0308rfel 10%.bin'), bin);
    await writeFile(pathOf('in/data/my%20cube.bin'), bin);
    for (const uri of ['DATA\\Cube.BIN', 'data/Würfel 10%.bin', 'data/w%C3%BCrfel%2010%25.bin', 'data/My cube.bin']) {
      const { status, errors } = await check(uri);
      should(status).equal(0, `${uri}: ${errors}`);
    }
    const { status, errors } = await check('data/my%20cube.bin');
    should(status).equal(0, errors);
  });

  it('never takes it from outside of the folder', async () => {
    await symlink(pathOf('secret.bin'), pathOf('in/link.bin'));
    await symlink(folder, pathOf('in/up'));
    const outside = [
      '../secret.bin',
      'data/../../secret.bin',
      '%2e%2e/secret.bin',
      'link.bin',
      'up/secret.bin',
      'data',
    ];
    for (const uri of [...outside, pathOf('secret.bin'), `file://${pathOf('secret.bin')}`, 'http://127.0.0.1/a.bin']) {
      const { status, lines } = await check(uri);
      should(status).equal(1, uri);
      should(JSON.parse(lines[0] ?? '')).match({ error: { code: 'FILE_MALFORMED', message: /another file/ } });
    }
  });

  it('reads both from a ZIP', async () => {
    await writeFile(pathOf('model.zip'), createZip({ 'a.gltf': gltf, 'data/cube.bin': bin }));
    const { status, errors } = await run(pathOf('model.zip'), '--to', 'stl', '-o', pathOf('model.stl'));
    should(status).equal(0, errors);
    should((await readFile(pathOf('model.stl'))).length).equal(84 + 12 * 50);
  });
});
