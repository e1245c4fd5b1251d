import type { AffineTransform } from '../reading/affine-transform.js';
import { type GltfObject, readNumberList } from './gltf-document.js';

/**
 * Returns the transform of a node relative to its parent: its matrix, else its scale, rotation (a quaternion) and
 * translation, applied in this order.
 */
export function gltfNodeTransform(node: GltfObject): AffineTransform {
  const matrix = readNumberList(node, 'matrix', 16);
  if (matrix) return [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14].map((i) => matrix[i]);
  const [x, y, z, w] = readNumberList(node, 'rotation', 4) ?? [0, 0, 0, 1];
  const [sx, sy, sz] = readNumberList(node, 'scale', 3) ?? [1, 1, 1];
  const translation = readNumberList(node, 'translation', 3) ?? [0, 0, 0];
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
