import { IN_PLACE, type Placement, placedIn } from './placement.js';
import type { X3dNode } from './x3d-node.js';

/**
 * Where a Transform places its children: scaled along the axes that its scale orientation names, then turned, both round its
 * centre, then moved.
 */
export function nodePlacement({ numbers }: X3dNode): Placement {
  const values = (field: string, otherwise: readonly number[]): readonly number[] => {
    const found = numbers.get(field);
    return found?.length === otherwise.length && found.every(Number.isFinite) ? Array.from(found) : otherwise;
  };
  const centre = values('center', [0, 0, 0]);
  const [sx, sy, sz] = values('scale', [1, 1, 1]);
  const orientation = values('scaleOrientation', [0, 0, 1, 0]);
  const [x, y, z, angle] = orientation;
  // From the outermost to the innermost.
  const steps = [
    moved(values('translation', [0, 0, 0])),
    moved(centre),
    turned(values('rotation', [0, 0, 1, 0])),
    turned(orientation),
    [sx, 0, 0, 0, sy, 0, 0, 0, sz, 0, 0, 0],
    turned([x, y, z, -angle]),
    moved(centre.map((value) => -value)),
  ];
  return steps.reduce((outer, inner) => placedIn(outer, inner), IN_PLACE);
}

const moved = (by: readonly number[]): Placement => [1, 0, 0, 0, 1, 0, 0, 0, 1, ...by];

/** Turned round an axis of any length by an angle in radians (Rodrigues' formula): three numbers and one. */
export function turned([ax, ay, az, angle]: readonly number[]): Placement {
  const length = Math.hypot(ax, ay, az);
  if (angle === 0 || !(length > 0)) return IN_PLACE;
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
