import { type AffineTransform, compose, IDENTITY, rotation, scale, translation } from '../reading/affine-transform.js';
import type { X3dNode } from './x3d-node.js';

/**
 * Returns the transform of a Transform node: scale along the axes of the scale orientation, then rotation, both about
 * the center, then translation.
 */
export function x3dNodeTransform({ numbers }: X3dNode): AffineTransform {
  const values = (field: string, fallback: readonly number[]): readonly number[] => {
    const value = numbers.get(field);
    return value?.length === fallback.length && value.every(Number.isFinite) ? Array.from(value) : fallback;
  };
  const center = values('center', [0, 0, 0]);
  const [sx, sy, sz] = values('scale', [1, 1, 1]);
  const orientation = values('scaleOrientation', [0, 0, 1, 0]);
  const [x, y, z, angle] = orientation;
  // From outermost to innermost.
  const steps = [
    translation(values('translation', [0, 0, 0])),
    translation(center),
    rotation(values('rotation', [0, 0, 1, 0])),
    rotation(orientation),
    scale([sx, sy, sz]),
    rotation([x, y, z, -angle]),
    translation(center.map((value) => -value)),
  ];
  return steps.reduce((outer, inner) => compose(outer, inner), IDENTITY);
}
