import { type AffineTransform, compose, IDENTITY } from '../affine-transform.js';
import type { X3dNode } from './x3d-node.js';

/**
 * Where a Transform places its children: scaled along the axes that its scale orientation names, then turned, both round its
 * centre, then moved.
 */
export function x3dNodeTransform({ numbers }: X3dNode): AffineTransform {
  const values = (field: string, otherwise: readonly number[]): readonly number[] => {
    const value = numbers.get(field);
    return value?.length === otherwise.length && value.every(Number.isFinite) ? Array.from(value) : otherwise;
  };
  const center = values('center', [0, 0, 0]);
  const [sx, sy, sz] = values('scale', [1, 1, 1]);
  const orientation = values('scaleOrientation', [0, 0, 1, 0]);
  const [x, y, z, angle] = orientation;
  // From the outermost to the innermost.
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

const translation = (by: readonly number[]): AffineTransform => [1, 0, 0, 0, 1, 0, 0, 0, 1, ...by];

/** Turned round an axis of any length by an angle in radians (Rodrigues' formula): three numbers and one. */
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
