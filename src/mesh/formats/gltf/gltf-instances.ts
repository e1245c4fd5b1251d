import type { AffineTransform } from '../reading/affine-transform.js';
import type { GltfAccessors } from './gltf-accessors.js';
import { type GltfObject, malformedGltf, readNatural, readObject } from './gltf-document.js';
import { fromParts } from './gltf-transform.js';

/**
 * Yields the transforms of the instances of a node relative to it (`EXT_mesh_gpu_instancing`). Returns `undefined` for a
 * node without instances. Throws `FILE_MALFORMED` if attributes have different counts.
 */
export function readInstances(node: GltfObject, accessors: GltfAccessors): Iterable<AffineTransform> | undefined {
  const extension = readObject(readObject(node, 'extensions') ?? {}, 'EXT_mesh_gpu_instancing');
  const attributes = readObject(extension ?? {}, 'attributes') ?? {};
  const indices = Object.keys(attributes).map((name) => readNatural(attributes, name, 0));
  const [count, ...others] = indices.map((index) => accessors.count(index));
  if (count === undefined) return undefined;
  if (others.some((other) => other !== count)) throw malformedGltf('attributes of instances have different counts');
  return createTransforms(attributes, accessors, count);
}

function* createTransforms(attributes: GltfObject, accessors: GltfAccessors, count: number): Iterable<AffineTransform> {
  const read = (name: string, type: 'VEC3' | 'VEC4'): Float64Array | undefined => {
    const index = readNatural(attributes, name, undefined);
    return index === undefined ? undefined : accessors.read(index, type);
  };
  const [translations, rotations, scales] = [
    read('TRANSLATION', 'VEC3'),
    read('ROTATION', 'VEC4'),
    read('SCALE', 'VEC3'),
  ];
  const pick = (values: Float64Array | undefined, i: number, width: number): number[] | undefined =>
    values && Array.from(values.subarray(i * width, (i + 1) * width));
  for (let i = 0; i < count; i++) yield fromParts(pick(translations, i, 3), pick(rotations, i, 4), pick(scales, i, 3));
}
