import { type AffineTransform, compose, IDENTITY } from '../reading/affine-transform.js';
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
    [sx, 0, 0, 0, sy, 0, 0, 0, sz, 0, 0, 0],
    rotation([x, y, z, -angle]),
    translation(center.map((value) => -value)),
  ];
  return steps.reduce((outer, inner) => compose(outer, inner), IDENTITY);
}

function translation(offset: readonly number[]): AffineTransform {
  return [1, 0, 0, 0, 1, 0, 0, 0, 1, ...offset];
}

/**
 * Returns a rotation about an axis of any length by an angle in radians (Rodrigues formula), given as x, y, z, angle.
 */
export function rotation([ax, ay, az, angle]: readonly number[]): AffineTransform {
  const length = Math.hypot(ax, ay, az);
  if (angle === 0 || !(length > 0)) return IDENTITY;
  const [x, y, z] = [ax / length, ay / length, az / length];
  const s = Math.sin(angle);
  const c = Math.cos(angle);
  const t = 1 - c;
  return [
    t * x * x + c,
    t * x * y + s * z,
    t * x * z - s * y,
    t * x * y - s * z,
    t * y * y + c,
    t * y * z + s * x,
    t * x * z + s * y,
    t * y * z - s * x,
    t * z * z + c,
    0,
    0,
    0,
  ];
}
