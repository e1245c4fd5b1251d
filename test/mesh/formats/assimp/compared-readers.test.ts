import 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { loadAssimp } from '../../../../src/mesh/formats/assimp/load-assimp.js';
import type { ParsedModel } from '../../../../src/mesh/formats/format.js';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { IDENTITY } from '../../../../src/mesh/formats/reading/affine-transform.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../../models/cube.js';
import { makeTorus } from '../../models/torus.js';
import { LEVELS, lodFbx } from '../files/lod-fbx.js';
import { rejectionOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

/** Reads a file of a format that we read ourselves with assimp, as it is: without units and axes. */
async function readWithAssimp(bytes: Buffer, extension: string): Promise<ParsedModel> {
  const read = await loadAssimp({ name: extension, extension, signature: /^/, transform: () => IDENTITY });
  return read(bytes, undefined, { unitInMm: 1 });
}

/** Returns the box, the number of triangles and the volume of a mesh, rounded to what float32 preserves. */
function measure({ mesh }: Pick<ParsedModel, 'mesh'>) {
  const axes = [0, 1, 2].map((axis) => mesh.positions.filter((_, i) => i % 3 === axis));
  return {
    min: axes.map((values) => Math.min(...values).toFixed(3)),
    max: axes.map((values) => Math.max(...values).toFixed(3)),
    triangles: mesh.triangles.length / 3,
    volume: analyze(mesh).volumeMm3.toPrecision(4),
  };
}

function serialize(format: string, mesh = makeCube()): string {
  return Buffer.concat([...serializeModel(mesh, format)]).toString('latin1');
}

const STL = serialize('stl-ascii');
const OBJ = serialize('obj');
const OFF = serialize('off');

function createTextPly(): string {
  const { positions, triangles } = makeCube();
  const rows = (values: ArrayLike<number>, prefix: string) =>
    Array.from(
      { length: values.length / 3 },
      (_, i) =>
        prefix +
        Array.from(values)
          .slice(i * 3, i * 3 + 3)
          .join(' '),
    );
  const head = 'ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z';
  const list = 'element face 12\nproperty list uchar int vertex_indices\nend_header';
  return [head, list, ...rows(positions, ''), ...rows(triangles, '3 '), ''].join('\n');
}
const PLY = createTextPly();

/** extension → samples that both readers read alike */
const ALIKE: Record<string, Record<string, string>> = {
  stl: {
    binary: serialize('stl'),
    'a binary torus': serialize('stl', makeTorus()),
    text: STL,
    'ends in two words': STL.replaceAll('endloop', 'end loop').replace('endsolid', 'end solid'),
    'no lines for loops': STL.replace(/.*loop\n/g, ''),
  },
  obj: {
    'a cube': OBJ,
    'a torus': serialize('obj', makeTorus()),
    'textures and a continued face': OBJ.replace(/f (\d+) (\d+)/, 'f $1/1 \\\n$2/1'),
    'negative indices': OBJ.replace('f 1 ', 'f -8 '),
  },
  ply: {
    binary: serialize('ply'),
    'a binary torus': serialize('ply', makeTorus()),
    text: PLY,
    'the other name of the indices': PLY.replace('vertex_indices', 'vertex_index'),
    'more values than declared': PLY.replaceAll(/^(-?\d -?\d -?\d)$/gm, '$1 7'),
  },
  off: {
    'a cube': OFF,
    'a torus': serialize('off', makeTorus()),
    'counts after the keyword': OFF.replace('OFF\n', 'OFF'),
    colors: OFF.replace('OFF', 'COFF').replace(/^(?!COFF|8 12 0|3 )(.*)$/gm, '$1 255 0 0 255'),
  },
};

describe('our readers and assimp', () => {
  for (const [extension, samples] of Object.entries(ALIKE)) {
    for (const [name, text] of Object.entries(samples)) {
      it(`read the same ${extension}: ${name}`, async () => {
        const bytes = Buffer.from(text, 'latin1');
        const expected = measure(await readWithAssimp(bytes, extension));
        measure(parseOwn(bytes, { filename: `a.${extension}` })).should.deepEqual(expected);
      });
    }
  }

  for (const encoding of ['text', 'binary'] as const) {
    it(`read the same FBX, version 6 and 7: ${encoding}`, async () => {
      const models = [
        ...LEVELS,
        { name: 'open', faceCount: 4, factor: 2 },
        { name: 'kid', parent: 'open', faceCount: 6, factor: 3 },
      ];
      const { mesh } = await parseModel(lodFbx(models, `7, ${encoding}`), { filename: 'a.fbx' });
      const ours = parseOwn(lodFbx(models, `6, ${encoding}`), { filename: 'a.fbx' });
      measure(ours).should.deepEqual(measure({ mesh }));
      measure(ours).triangles.should.equal(32);
    });
  }

  it('differ in STL that assimp refuses: capitals, no solid, text before it', async () => {
    const expected = measure(parseOwn(Buffer.from(STL), { filename: 'a.stl' }));
    for (const text of [STL.toUpperCase(), STL.replace(/^.*solid.*\n/gm, ''), `# a comment\n${STL}`]) {
      (await rejectionOf(readWithAssimp(Buffer.from(text), 'stl'))).code.should.equal('FILE_MALFORMED');
      measure(parseOwn(Buffer.from(text), { filename: 'a.stl' })).should.deepEqual(expected);
    }
  });

  it('differ in OBJ: assimp refuses an invalid index and continues names', async () => {
    const invalid = Buffer.from(OBJ.replace(/f \d+/, 'f 99'));
    (await rejectionOf(readWithAssimp(invalid, 'obj'))).code.should.equal('FILE_MALFORMED');
    measure(parseOwn(invalid, { filename: 'a.obj' })).triangles.should.equal(11);
    const named = Buffer.from(OBJ.replace('f ', 'usemtl C:\\\nf '));
    measure(await readWithAssimp(named, 'obj')).triangles.should.equal(11);
    measure(parseOwn(named, { filename: 'a.obj' })).triangles.should.equal(12);
  });

  it('differ in PLY: assimp takes the first vertex in place of a missing one, and reads no wrapped records', async () => {
    const missing = Buffer.from(PLY.replace(/^3 \d/m, '3 9'));
    measure(await readWithAssimp(missing, 'ply')).triangles.should.equal(12);
    measure(parseOwn(missing, { filename: 'a.ply' })).triangles.should.equal(11);
    const wrapped = Buffer.from(PLY.replaceAll(/^3 (\d)/gm, '3\n$1'));
    const read = await readWithAssimp(wrapped, 'ply').then(measure, () => undefined);
    (read?.triangles ?? 0).should.not.equal(12);
    measure(parseOwn(wrapped, { filename: 'a.ply' })).triangles.should.equal(12);
  });

  it('differ in OFF: assimp takes the first vertex in place of a missing one', async () => {
    const missing = Buffer.from(OFF.replace(/^3 \d+/m, '3 9'));
    measure(await readWithAssimp(missing, 'off')).triangles.should.equal(12);
    measure(parseOwn(missing, { filename: 'a.off' })).triangles.should.equal(11);
  });
});
