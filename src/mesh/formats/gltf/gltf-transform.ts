import { type AffineTransform, fromMatrix } from '../reading/affine-transform.js';
import { type GltfObject, readNumberList } from './gltf-document.js';

/** Returns the transform of a node relative to its parent: its matrix, else its translation, rotation and scale. */
export function readNodeTransform(node: GltfObject): AffineTransform {
  const matrix = readNumberList(node, 'matrix', 16);
  if (matrix) return fromMatrix(matrix);
  const translation = readNumberList(node, 'translation', 3);
  return fromParts(translation, readNumberList(node, 'rotation', 4), readNumberList(node, 'scale', 3));
}

/**
 * Returns the transform that scales, rotates, then translates. The rotation is a quaternion of any length: one stored as
 * integers is not normalized.
 */
export function fromParts(
  translation: readonly number[] = [0, 0, 0],
  rotation: readonly number[] = [0, 0, 0, 1],
  [sx, sy, sz]: readonly number[] = [1, 1, 1],
): AffineTransform {
  const length = Math.hypot(...rotation);
  const [x, y, z, w] = length > 0 ? rotation.map((value) => value / length) : [0, 0, 0, 1];
  return [
    sx * (1 - 2 * (y * y + z * z)),
    sx * 2 * (x * y + z * w),
    sx * 2 * (x * z - y * w),
    sy * 2 * (x * y - z * w),
    sy * (1 - 2 * (x * x + z * z)),
    sy * 2 * (y * z + x * w),
    sz * 2 * (x * z + y * w),
    sz * 2 * (y * z - x * w),
    sz * (1 - 2 * (x * x + y * y)),
    ...translation,
  ];
}
