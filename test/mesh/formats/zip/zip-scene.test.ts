import 'should';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../../models/cube.js';
import { gltfPair } from '../files/gltf-pair.js';
import { colladaBox } from '../files/scenes.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';
import { createZip } from './zip-bytes.js';

const OBJ = Buffer.concat([...serializeModel(makeCube(), 'obj')]);

function parse(parts: Record<string, string | Uint8Array>) {
  return parseModel(createZip(parts), { filename: 'model.zip' });
}
async function reject(parts: Record<string, string | Uint8Array>) {
  return rejectionOf(parse(parts));
}

describe('a ZIP with one scene', () => {
  it('is read with the buffer of its glTF, wherever both are', async () => {
    const { mesh: expected } = await parseModel(Buffer.concat([...serializeModel(makeCube(), 'glb')]), {
      filename: 'a.glb',
    });
    for (const [scene, uri, buffer] of [
      ['a.gltf', 'cube.bin', 'cube.bin'],
      ['model/a.gltf', 'cube.bin', 'model/cube.bin'],
      ['model/a.gltf', '../my%20data/cube.bin', 'my data/cube.bin'],
      ['A.GLTF', 'Cube.BIN', 'cube.bin'],
      ['./a.gltf', 'cube.bin', './cube.bin'],
      ['./model/a.gltf', './cube.bin', 'model/cube.bin'],
      ['sub/a.gltf', 'cube 10%.bin', 'sub/cube 10%.bin'],
      ['a.gltf', 'my%20cube 10%.bin', 'my cube 10%.bin'],
      ['a.gltf', 'my%20cube.bin', 'my%20cube.bin'],
      ['a.gltf', 'my cube.bin', 'my%20cube.bin'],
      ['a.gltf', 'W%C3%BCrfel.bin', 'Wu\u0308rfel.bin'],
    ] as const) {
      const { gltf, bin } = gltfPair(uri);
      const { mesh } = await parse({ [scene]: gltf, [buffer]: bin, 'texture.png': 'x', 'read me.txt': 'x' });
      mesh.positions.should.deepEqual(expected.positions);
      mesh.triangles.should.deepEqual(expected.triangles);
    }
  });

  it('is read as its own format, in the unit of the caller if it declares none', async () => {
    const obj = createZip({ 'part.obj': OBJ, 'part.mtl': 'newmtl red' });
    const inMm = await measureFile(obj, 'model.zip');
    const inInches = await measureFile(obj, 'model.zip', { measurementUnits: 'inch' });
    inMm.level.should.equal('solid');
    inInches.volume.should.be.approximately(inMm.volume * 25.4 ** 3, 1e-3);
    const collada = createZip({ 'model.dae': colladaBox(0.001), 'textures/red.png': 'x' });
    (await measureFile(collada, 'model.zip', { measurementUnits: 'm' })).box.should.deepEqual([0, 0, 0, 1, 2, 3]);
  });

  it('may contain the hidden files of macOS', async () => {
    const { mesh } = await parse({ 'part.obj': OBJ, '__MACOSX/._part.obj': 'x', 'a/.part.obj': 'x', '.b/c.stl': 'x' });
    mesh.triangles.length.should.equal(36);
  });

  it('is rejected if a buffer is missing or outside of it', async () => {
    for (const uri of ['other.bin', '../cube.bin', '/cube.bin', 'file:///cube.bin', 'https://example.com/cube.bin']) {
      const { gltf, bin } = gltfPair(uri);
      const error = await reject({ 'a.gltf': gltf, 'cube.bin': bin });
      error.code.should.equal('FILE_MALFORMED');
      error.message.should.containEql(`${uri}”, which is missing, or outside of the folder or ZIP. Add it there`);
    }
  });

  it('is rejected if the entry is encrypted, or its content does not match its extension', async () => {
    const bytes = createZip({ 'part.obj': OBJ });
    bytes.writeUInt16LE(1, bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 8);
    (await rejectionOf(parseModel(bytes, { filename: 'model.zip' }))).code.should.equal('FILE_ENCRYPTED');
    const error = await reject({ 'part.stl': '<!DOCTYPE html><html></html>' });
    error.should.match({ code: 'FILE_MALFORMED', message: /part\.stl/ });
  });
});

describe('a ZIP with another number of scenes', () => {
  it('is rejected with the names of all', async () => {
    const error = await reject({ 'lid.obj': OBJ, 'base/box.STL': 'x', 'red.mtl': 'x' });
    error.code.should.equal('SEVERAL_MODELS');
    error.message.should.match(/2 models: “lid\.obj”, “base\/box\.STL”\. Upload each/);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`part ${i}.obj`, 'x']));
    (await reject(many)).message.should.match(/30 models: .*“part 9\.obj” …\./);
  });

  it('is rejected if there is none, also for an archive in an archive', async () => {
    for (const parts of [{ 'read me.txt': 'x' }, { 'inner.zip': createZip({ 'part.obj': OBJ }) }])
      (await reject(parts)).code.should.equal('FILE_EMPTY');
  });

  it('is rejected if it is not a ZIP', async () => {
    const reasonFor = async (content: string) =>
      (await rejectionOf(parseModel(Buffer.from(content, 'latin1'), { filename: 'model.zip' }))).code;
    (await reasonFor('')).should.equal('FILE_EMPTY');
    for (const content of ['<html></html>', 'PK\x03\x04', '\x1f\x8b\x08'])
      (await reasonFor(content)).should.equal('FILE_MALFORMED');
  });
});
