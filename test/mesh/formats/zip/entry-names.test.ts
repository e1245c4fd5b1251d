import should from 'should';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { ZipArchive } from '../../../../src/mesh/formats/zip/zip-reader.js';
import { makeCube } from '../../models/cube.js';
import { gltfPair } from '../files/gltf-pair.js';
import { createRawZip, createUnicodePath, createZip } from './zip-bytes.js';

const OBJ = Buffer.concat([...serializeModel(makeCube(), 'obj')]);
/** 表 and ソ in Shift-JIS: the second byte of each is a backslash. */
const [HYO, SO] = ['\x95\x5c', '\x83\x5c'];
const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => (i * 31) & 0xff));

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
function namesOf(...names: string[]) {
  return new ZipArchive(createRawZip(names.map((name) => ({ name: bytesOf(name), content: '' })))).names;
}
/** Creates a ZIP with a scene, whose buffer has the reference `uri`, and that buffer. */
function zipPair(scene: string, uri: string, buffer: string): Buffer {
  const { gltf, bin } = gltfPair(uri);
  return createRawZip([
    { name: bytesOf(scene), content: gltf },
    { name: bytesOf(buffer), content: bin },
    { name: bytesOf(buffer.replace('.bin', '-2.bin')), content: 'other' },
  ]);
}
async function countTriangles(bytes: Uint8Array): Promise<number> {
  return (await parseModel(bytes, { filename: 'model.zip' })).mesh.triangles.length / 3;
}

describe('a name in a ZIP', () => {
  it('is read as UTF-8 if it is valid, marked or not, else as code page 437', () => {
    namesOf('gr\xc3\xb6\xc3\x9fe.stl', 'ger\x84t.stl', 'gr\x94\xe1e.obj').should.deepEqual([
      'größe.stl',
      'gerät.stl',
      'größe.obj',
    ]);
  });

  it('is that of the Unicode Path field, unless the entry was renamed', () => {
    const name = bytesOf('ger\xe4t.stl');
    const read = (extra: Buffer) => new ZipArchive(createRawZip([{ name, content: '', extra }])).names;
    read(createUnicodePath('Gerät.stl', name)).should.deepEqual(['Gerät.stl']);
    read(Buffer.concat([Buffer.alloc(4), createUnicodePath('Gerät.stl', name)])).should.deepEqual(['Gerät.stl']);
    read(createUnicodePath('Gerät.stl', bytesOf('other.stl'))).should.deepEqual(['gerΣt.stl']);
    read(createUnicodePath('Gerät.stl', name).subarray(0, 12)).should.deepEqual(['gerΣt.stl']);
  });

  it('has slashes for backslashes, but not within a character of two bytes', () => {
    namesOf('a\\b.stl', 'B\x81cher\\M\x94bel.stl', `a/${SO}${HYO}.obj`).should.deepEqual([
      'a/b.stl',
      'Bücher/Möbel.stl',
      'a/â\\ò\\.obj',
    ]);
  });

  it('is found in each encoding, without regard to case and normalization', () => {
    const archive = new ZipArchive(
      createRawZip([
        { name: bytesOf(`\x90V/${SO}.obj`), content: 'a' }, // Shift-JIS
        { name: bytesOf('Ger\xe4t.bin'), content: 'b' }, // Windows-1252
        { name: Buffer.from('u\u0308ber/A.bin'), content: 'c' },
        { name: bytesOf('\xd0\xc2.bin'), content: 'd' }, // GBK
      ]),
    );
    const textOf = (name: string) => Buffer.from(archive.read(name) ?? []).toString();
    textOf('新/ソ.OBJ').should.equal('a');
    textOf('gerät.bin').should.equal('b');
    textOf('/Über/a.BIN').should.equal('c');
    textOf('新.bin').should.equal('d');
    should(archive.read('ソ.obj')).be.undefined();
  });

  it('keeps apart what differs only in case', () => {
    const archive = new ZipArchive(createZip({ 'a.stl': 'first', 'A.stl': 'second' }));
    archive.names.should.deepEqual(['a.stl', 'A.stl']);
    should(archive.read('A.stl')).deepEqual(Buffer.from('second'));
  });
});

describe('a scene in a ZIP whose names are not UTF-8', () => {
  it('is read', async () => {
    for (const name of [`${HYO}.obj`, `${SO}/${HYO}.obj`, 'M\x94bel.obj', '\xff\xfe.obj', `\\${HYO}.OBJ`])
      (await countTriangles(createRawZip([{ name: bytesOf(name), content: OBJ }]))).should.equal(12);
  });

  it('finds its companion', async () => {
    for (const [scene, uri, buffer] of [
      ['M\x94bel.gltf', 'Möbel.bin', 'M\x94bel.bin'], // code page 437
      ['M\x94bel.gltf', 'M%C3%B6bel.bin', 'M\x94bel.bin'],
      ['M\xf6bel.gltf', 'Möbel.bin', 'M\xf6bel.bin'], // Windows-1252
      ['M\xf6bel.gltf', 'M%F6bel.bin', 'M\xf6bel.bin'],
      ['Men\x81\\a.gltf', 'a.bin', 'Men\x81\\a.bin'],
      [`${SO}/${HYO}.gltf`, '表.bin', `${SO}/${HYO}.bin`], // Shift-JIS
      [`${SO}\\${HYO}.gltf`, './データ/%E8%A1%A8.bin', `${SO}\\\x83f\x81[\x83^\\${HYO}.bin`],
      ['\xd0\xc2\\a.gltf', '../零件.bin', '\xc1\xe3\xbc\xfe.bin'], // GBK
    ] as const)
      (await countTriangles(zipPair(scene, uri, buffer))).should.equal(12, uri);
  });

  it('finds its companion by a reference whose bytes are in the same encoding', async () => {
    const { gltf, bin } = gltfPair('M?bel.bin');
    gltf[gltf.indexOf('M?bel') + 1] = 0xf6;
    const entries = [
      { name: bytesOf('a.gltf'), content: gltf },
      { name: bytesOf('M\xf6bel.bin'), content: bin },
    ];
    (await countTriangles(createRawZip(entries))).should.equal(12);
    // The replaced bytes could be those of either name.
    const ambiguous = createRawZip([{ name: bytesOf('M\xe4bel.bin'), content: bin }, ...entries]);
    await countTriangles(ambiguous).should.be.rejectedWith({ code: 'FILE_MALFORMED' });
  });

  it('is bounded by the size of the archive, with any bytes in the names', () => {
    const names = Array.from({ length: 300 }, (_, i) => bytesOf(`${i} ${EVERY_BYTE.slice(i % 256)}`));
    const combining = Buffer.from(`a${'\u0301'.repeat(8000)}${'\u0316'.repeat(8000)}.stl`);
    const archive = new ZipArchive(createRawZip([...names, combining].map((name) => ({ name, content: '' }))));
    archive.names.length.should.equal(301);
    should(archive.read('missing')).be.undefined();
    should(archive.readCompanion(archive.names[0] ?? '', '../missing%')).be.undefined();
  });
});
