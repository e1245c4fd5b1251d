import { BOX_POINTS_Y_UP, BOX_TRIANGLES } from './box.js';
import { GltfBuilder } from './gltf-builder.js';

/** Returns a glTF of boxes: one with a morph target and two joints a point, and one with three instances. */
export function riggedGltf(): Buffer {
  const builder = new GltfBuilder();
  const pointCount = BOX_POINTS_Y_UP.length;
  const joints = Uint8Array.from({ length: pointCount * 4 }, (_, i) => i % 2);
  const weights = Uint16Array.from({ length: pointCount * 4 }, (_, i) => [40000, 25535, 0, 0][i % 4] ?? 0);
  const offsets = Int8Array.from({ length: pointCount * 3 }, (_, i) => i);
  const indices = builder.add('SCALAR', new Uint16Array(BOX_TRIANGLES.flat()));
  const attributes = { POSITION: builder.add('VEC3', new Float32Array(BOX_POINTS_Y_UP.flat())) };
  const influences = {
    JOINTS_0: builder.add('VEC4', joints),
    WEIGHTS_0: builder.add('VEC4', weights, { normalized: true }),
  };
  const targets = [{ POSITION: builder.add('VEC3', offsets, { normalized: true }) }];
  const matrices = Float32Array.from({ length: 32 }, (_, i) => (i % 5 === 0 ? 1 : 0));
  const instances = {
    TRANSLATION: builder.add('VEC3', new Float32Array([0, 0, 0, 5, 0, 0, 10, 0, 0])),
    ROTATION: builder.add(
      'VEC4',
      Int8Array.from({ length: 12 }, (_, i) => (i % 4 === 3 ? 127 : 0)),
      { normalized: true },
    ),
  };
  const extensionNames = ['EXT_mesh_gpu_instancing', 'KHR_mesh_quantization'];
  return builder.toFile({
    extensionsUsed: extensionNames,
    extensionsRequired: extensionNames,
    scenes: [{ nodes: [0, 1, 3] }],
    nodes: [
      { mesh: 0, skin: 0, weights: [0.5] },
      { children: [2], scale: [2, 2, 2] },
      { translation: [0, 1, 0] },
      { mesh: 1, extensions: { EXT_mesh_gpu_instancing: { attributes: instances } } },
    ],
    meshes: [
      { primitives: [{ attributes: { ...attributes, ...influences }, indices, targets }], weights: [0.25] },
      { primitives: [{ attributes, indices }] },
    ],
    skins: [{ joints: [1, 2], inverseBindMatrices: builder.add('MAT4', matrices) }],
  });
}
