import 'should';
import { OWN_READERS } from '../../../src/mesh/formats/own-readers.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { FORMATS } from '../../../src/mesh/formats/table.js';
import { ZipArchive } from '../../../src/mesh/formats/zip-reader.js';
import { MeshError } from '../../../src/mesh/mesh-error.js';
import { makeCube } from '../models/cube.js';
import { createRandom } from '../models/random.js';
import { parseOwn } from './parse-own.js';
import { zipOf } from './zip-bytes.js';

// The full proof takes 9,000 of each, 108,000 in all: half a minute.
const MUTATIONS_PER_FORMAT = Number(process.env.MUTATIONS_PER_FORMAT ?? 300);
const MODEL = '3D/3dmodel.model';
const NUMBERS = ['-1', '0', '4294967295', '1e999', 'nan', '', '0.5', '99999999999999999999', '-2147483648'];

const cube = { ...makeCube(), objects: [{ name: 'part', firstTriangle: 0, triangleCount: 6 }] };
const SAMPLES: Record<string, () => Buffer> = {
  '3mf model': () => Buffer.from(new ZipArchive(Buffer.concat([...serializeModel(cube, '3mf')])).read(MODEL) ?? []),
  gltf: () => {
    const glb = Buffer.concat([...serializeModel(cube, 'glb')]);
    const jsonBytes = glb.readUInt32LE(12);
    const json = JSON.parse(glb.toString('utf8', 20, 20 + jsonBytes));
    json.buffers[0].uri = `data:;base64,${glb.subarray(28 + jsonBytes).toString('base64')}`;
    return Buffer.from(JSON.stringify(json));
  },
  wrl: () =>
    Buffer.from(
      '#VRML V2.0 utf8\nDEF a Transform { rotation 0 0 1 2 scale 1 2 3 children [ Shape { geometry IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 0] } coordIndex [0 1 2 3 -1 0 2 3] } } ] } USE a',
    ),
  x3d: () =>
    Buffer.from(
      '<X3D><Scene><Transform DEF="a" translation="1 2 3"><Shape><IndexedFaceSet coordIndex="0 1 2 -1"><Coordinate point="0 0 0 1 0 0 0 1 0"/></IndexedFaceSet></Shape></Transform><Transform USE="a"/><Shape><Extrusion spine="0 0 0 1 0 0 1 1 0"/></Shape></Scene></X3D>',
    ),
};

type Random = ReturnType<typeof createRandom>;
const upTo = (random: Random, end: number) => Math.floor(random() * end);

/** One change of each kind that files suffer: a byte, a cut, a piece twice, a piece gone, a number that is another, 32 bits set. */
function mutate(bytes: Buffer, random: Random): Buffer {
  const at = upTo(random, bytes.length);
  const end = at + upTo(random, 40);
  const copy = Buffer.from(bytes);
  switch (upTo(random, 6)) {
    case 0:
      copy[at] = upTo(random, 256);
      return copy;
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([copy.subarray(0, end), copy.subarray(at)]);
    case 3:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(end)]);
    case 4: {
      const numbers = [...copy.toString('latin1').matchAll(/\d+(\.\d+)?/g)];
      const number = numbers[upTo(random, numbers.length)];
      if (!number) return copy;
      const other = Buffer.from(NUMBERS[upTo(random, NUMBERS.length)] ?? '');
      return Buffer.concat([copy.subarray(0, number.index), other, copy.subarray(number.index + number[0].length)]);
    }
    default:
      return copy.fill(random() < 0.5 ? 0xff : 0, at, Math.min(at + 4, copy.length));
  }
}

/** Reads; a refusal with a code is as good as a mesh, whose numbers must be sound. */
function shouldReadOrRefuse(bytes: Buffer, filename: string): void {
  try {
    const { mesh } = parseOwn(bytes, { filename });
    const vertexCount = mesh.positions.length / 3;
    mesh.positions.every(Number.isFinite).should.be.true();
    mesh.triangles.every((vertex) => vertex < vertexCount).should.be.true();
    const objects = mesh.objects ?? [];
    const isWithin = objects.every(
      ({ firstTriangle, triangleCount }) => (firstTriangle + triangleCount) * 3 <= mesh.triangles.length,
    );
    isWithin.should.be.true();
  } catch (error) {
    // A place outside of the file is a mistake of the reader, also where it passes for a lack of memory.
    const isOutside =
      error instanceof MeshError && error.cause instanceof RangeError && /offset/i.test(error.cause.message);
    if (!(error instanceof MeshError) || isOutside) throw error;
  }
}

describe('readers of damaged files', () => {
  // A 3MF is changed from outside, where its checksum finds it, and within.
  const kinds = FORMATS.filter(({ id }) => id in OWN_READERS || id === 'stl-ascii').map(({ id, extensions }) => ({
    id: String(id),
    filename: `a.${extensions[0]}`,
  }));
  for (const { id, filename } of [...kinds, { id: '3mf model', filename: 'a.3mf' }]) {
    const sample = SAMPLES[id] ?? (() => Buffer.concat([...serializeModel(cube, id)]));
    it(`read or refuse ${id}, whatever happened to it`, () => {
      const random = createRandom(7);
      const whole = sample();
      const wrap = (bytes: Buffer) => (id === '3mf model' ? zipOf({ [MODEL]: bytes }) : bytes);
      parseOwn(wrap(whole), { filename }).mesh.triangles.length.should.be.above(0);
      for (let i = 0; i < MUTATIONS_PER_FORMAT; i++) {
        let bytes = mutate(whole, random);
        while (random() < 0.5) bytes = mutate(bytes, random);
        shouldReadOrRefuse(wrap(bytes), filename);
      }
    });
  }
});
