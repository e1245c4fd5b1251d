import should from 'should';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../../models/cube.js';
import { gltfPair } from '../files/gltf-pair.js';
import { colladaBox } from '../files/scenes.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';
import { createRawZip, createZip } from './zip-bytes.js';

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
    const error = await reject({ 'lid.obj': OBJ, 'base/box.STL': 'x', 'red.mtl': 'x', 'images/lid.png': 'x' });
    error.code.should.equal('SEVERAL_MODELS');
    error.message.should.match(/2 models: “lid\.obj”, “base\/box\.STL”\. Choose one by “entry”/);
    should(error.entries).deepEqual(['lid.obj', 'base/box.STL']);
  });

  it('is rejected with a list that is limited', async () => {
    const many = (length: number, name: string) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`${name} ${i}.obj`, 'x']));
    const error = await reject(many(1200, 'part'));
    error.message.should.match(/1200 models: .*“part 9\.obj” …\./);
    should(error.entries?.length).equal(1000);
    should((await reject(many(30, 'part'.repeat(1000)))).entries?.length).equal(16);
  });

  it('is rejected if there is none, also for an archive in an archive, with the names of what is there', async () => {
    const inner = createZip({ 'part.obj': OBJ });
    for (const parts of [{ 'read me.txt': 'x', 'images/': '' }, { 'inner.zip': inner }]) {
      const { code, message } = await reject(parts);
      code.should.equal('FILE_EMPTY');
      message.should.equal(`Could not read the ZIP: it contains no model, but “${Object.keys(parts)[0]}”.`);
    }
    (await reject({ '__MACOSX/._a.stl': 'x' })).message.should.equal('Could not read the ZIP: it contains no model.');
  });

  it('is rejected if it is not a ZIP', async () => {
    const reasonFor = async (content: string) =>
      (await rejectionOf(parseModel(Buffer.from(content, 'latin1'), { filename: 'model.zip' }))).code;
    (await reasonFor('')).should.equal('FILE_EMPTY');
    for (const content of ['<html></html>', 'PK\x03\x04', '\x1f\x8b\x08'])
      (await reasonFor(content)).should.equal('FILE_MALFORMED');
  });
});

describe('an entry of a ZIP', () => {
  const STL = Buffer.concat([...serializeModel(makeCube(), 'stl')]);
  const { gltf, bin } = gltfPair('cube.bin');
  const KIT = {
    'files/Lid.obj': OBJ,
    'files/base.stl': STL,
    'other/base.stl': STL.subarray(0, 84 + 5 * 50),
    'scene/a.gltf': gltf,
    'scene/cube.bin': bin,
    'Größe/Teil.stl': STL,
    'LICENSE.txt': 'text',
    plain: STL,
    '__MACOSX/files/._Lid.obj': 'x',
  };
  const readEntry = async (entry: string, parts: Record<string, string | Uint8Array> = KIT) => {
    const { mesh } = await parseModel(createZip(parts), { filename: 'kit.zip', entry });
    return mesh.triangles.length / 3;
  };

  it('is read by its path or its name, ignoring case, normalization and the kind of slash', async () => {
    for (const entry of [
      ...[
        'files/Lid.obj',
        'FILES\\lid.OBJ',
        '/files/Lid.obj',
        './files/lid.obj',
        'Lid.obj',
        'lid.OBJ',
        'files/base.stl',
      ],
      ...['scene/a.gltf', 'a.gltf', 'gro\u0308ße/teil.stl', 'Gr%C3%B6%C3%9Fe/Teil.stl', 'TEIL.stl', 'plain'],
    ])
      (await readEntry(entry)).should.equal(12, entry);
    (await readEntry('other/base.stl')).should.equal(5);
    (await readEntry('lid.obj', { 'lid.obj': OBJ })).should.equal(12);
  });

  it('is read by its name in an encoding that is not UTF-8, and as the error lists it', async () => {
    const name = Buffer.from('\x83\x5c/\x95\x5c.obj', 'latin1');
    const zip = createRawZip([
      { name, content: OBJ },
      { name: Buffer.from('M\x94bel.obj', 'latin1'), content: OBJ },
    ]);
    const { entries = [] } = await rejectionOf(parseModel(zip, { filename: 'kit.zip' }));
    for (const entry of ['ソ/表.obj', '表.obj', 'möbel.obj', ...entries])
      (await parseModel(zip, { filename: 'kit.zip', entry })).mesh.triangles.length.should.equal(36, entry);
  });

  it('is refused if there is none or several of that name, with the models', async () => {
    const models = ['files/Lid.obj', 'files/base.stl', 'other/base.stl', 'scene/a.gltf', 'Größe/Teil.stl'];
    for (const [entry, reason] of [
      ['missing.stl', /it has no entry “missing\.stl”\. The models in it are “files\/Lid\.obj”, /],
      ['files', /it has no entry “files”/],
      ['._Lid.obj', /it has no entry/],
      ['base.stl', /“base\.stl” is the name of “files\/base\.stl”, “other\/base\.stl”\./],
    ] as const) {
      const error = await rejectionOf(readEntry(entry));
      error.code.should.equal('ENTRY_UNKNOWN');
      error.message.should.match(reason);
      should(error.entries).deepEqual(models);
    }
  });

  it('is refused if it is not a model, or the file not a ZIP of models', async () => {
    (await rejectionOf(readEntry('LICENSE.txt'))).code.should.equal('FORMAT_UNKNOWN');
    const threeMf = Buffer.concat([...serializeModel(makeCube(), '3mf')]);
    for (const [filename, bytes] of [
      ['a.obj', OBJ],
      ['a.3mf', threeMf],
      ['a.zip', threeMf],
    ] as const) {
      const { code, message } = await rejectionOf(parseModel(bytes, { filename, entry: 'lid.obj' }));
      code.should.equal('ENTRY_UNKNOWN');
      message.should.containEql(`“${filename}”: it is not a ZIP of models`);
    }
  });

  it('is listed if the ZIP has another extension', async () => {
    const { code, entries } = await rejectionOf(parseModel(createZip(KIT), { filename: 'kit.stl' }));
    code.should.equal('SEVERAL_MODELS');
    should(entries?.length).equal(5);
  });
});
