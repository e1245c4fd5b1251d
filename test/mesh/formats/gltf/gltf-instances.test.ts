import 'should';
import { BOX_POINTS_Y_UP, BOX_TRIANGLES } from '../files/box.js';
import { GltfBuilder } from '../files/gltf-builder.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

const EXTENSION = 'EXT_mesh_gpu_instancing';

/** Measures a box of 1 x 2 x 3 m with instances. `addAttributes` returns their attributes. */
function read(addAttributes: (builder: GltfBuilder) => object, node: object = {}) {
  const builder = new GltfBuilder();
  const attributes = { POSITION: builder.add('VEC3', new Float32Array(BOX_POINTS_Y_UP.flat())) };
  const indices = builder.add('SCALAR', new Uint16Array(BOX_TRIANGLES.flat()));
  const extensions = { [EXTENSION]: { attributes: addAttributes(builder) } };
  const file = builder.toFile({
    nodes: [{ mesh: 0, extensions, ...node }],
    meshes: [{ primitives: [{ attributes, indices }] }],
    extensionsUsed: [EXTENSION],
    extensionsRequired: [EXTENSION],
  });
  return measureFile(file, 'a.gltf');
}

describe('readInstances', () => {
  it('places a mesh once per instance, relative to its node', async () => {
    const translations = new Float32Array([0, 0, 0, 5, 0, 0, 10, 0, 0]);
    const measured = await read((builder) => ({ TRANSLATION: builder.add('VEC3', translations) }), {
      scale: [2, 1, 1],
      translation: [1, 0, 0],
      name: 'tree',
    });
    measured.should.match({ shells: 3, level: 'solid', triangles: 36, box: [1000, 0, 0, 23_000, 2000, 3000] });
    measured.names.should.deepEqual(['tree', 'tree', 'tree']);
  });

  const quarter = Math.SQRT1_2;
  const ROTATIONS: Record<string, Float32Array | Int8Array | Int16Array> = {
    floats: new Float32Array([0, 0, 0, 1, 0, 0, quarter, quarter]),
    'normalized bytes': new Int8Array([0, 0, 0, 127, 0, 0, 90, 90]),
    'normalized words': new Int16Array([0, 0, 0, 32767, 0, 0, 23170, 23170]),
  };
  for (const [name, rotations] of Object.entries(ROTATIONS)) {
    it(`reads scales and rotations, with quaternions of ${name}`, async () => {
      const measured = await read((builder) => ({
        TRANSLATION: builder.add('VEC3', new Float32Array([0, 0, 0, 10, 0, 0])),
        ROTATION: builder.add('VEC4', rotations, { normalized: true }),
        SCALE: builder.add('VEC3', new Float32Array([1, 1, 1, 2, 1, 1])),
      }));
      measured.should.match({ shells: 2, level: 'solid', box: [0, 0, 0, 10_000, 2000, 3000] });
      measured.volume.should.be.approximately(18e9, 1e4);
    });
  }

  it('reverses the triangles of mirrored instances', async () => {
    const scales = new Float32Array([1, 1, 1, -1, 1, 1]);
    const measured = await read((builder) => ({
      SCALE: builder.add('VEC3', scales),
      TRANSLATION: builder.add('VEC3', new Float32Array([1, 0, 0, -1, 0, 0])),
    }));
    measured.should.match({ shells: 2, level: 'solid', box: [-2000, 0, 0, 2000, 2000, 3000] });
  });

  it('counts instances by attributes of their own, and places a mesh without attributes once', async () => {
    (await read((builder) => ({ _ID: builder.add('SCALAR', new Uint16Array([7, 8])) }))).triangles.should.equal(24);
    (await read(() => ({}))).triangles.should.equal(12);
  });

  it('rejects attributes of different counts, and too many instances before they are placed', async () => {
    const different = await rejectionOf(
      read((builder) => ({
        TRANSLATION: builder.add('VEC3', new Float32Array(6)),
        SCALE: builder.add('VEC3', new Float32Array(3)),
      })),
    );
    different.should.match({ code: 'FILE_MALFORMED', message: /different counts/ });
    const bomb = await rejectionOf(
      read((builder) => ({ TRANSLATION: builder.addAccessor({ componentType: 5126, count: 2 ** 17, type: 'VEC3' }) })),
    );
    bomb.should.match({ code: 'TOO_LARGE', message: /100000 instances/ });
  });
});
