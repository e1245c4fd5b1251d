import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { BODIES } from './bodies.js';
import { placed } from './mesh-of.js';
import { SPOILS, type Spoil, spoilt } from './spoils.js';
import { rotated, shuffled } from './transform.js';

/** One cell of the damage table: a solid, a kind of damage and a transform. */
export interface DamageCase {
  name: string;
  spoil: Spoil;
  /** Factor by which the transform scales lengths. */
  scaleFactor: number;
  createBody: () => IndexedMesh;
  /** Returns the damaged solid, before the transform. Deterministic. */
  createDamaged: (body: IndexedMesh) => IndexedMesh;
  transform: (mesh: IndexedMesh) => IndexedMesh;
}

/** name, transform, factor by which it scales lengths */
export const TRANSFORMS = [
  ['as it is', (mesh: IndexedMesh) => mesh, 1],
  ['rotated', (mesh: IndexedMesh) => rotated(mesh), 1],
  ['shuffled', (mesh: IndexedMesh) => shuffled(mesh), 1],
  ['a thousand times as large', (mesh: IndexedMesh) => placed(mesh, [0, 0, 0], 1000), 1000],
  ['a thousandth as large', (mesh: IndexedMesh) => placed(mesh, [0, 0, 0], 1e-3), 1e-3],
] as const satisfies readonly [string, (mesh: IndexedMesh) => IndexedMesh, number][];

/** Returns every `stride`-th cell of the table of solids and damages. Assigns the transforms in rotation. */
export function listDamageCases(stride: number): DamageCase[] {
  const cells = Object.entries(BODIES).flatMap(([body, createBody]) =>
    Object.entries(SPOILS).map(([damage, spoil]) => ({ body, createBody, damage, spoil })),
  );
  return cells.flatMap(({ body, createBody, damage, spoil }, index) => {
    const [label, transform, scaleFactor] = TRANSFORMS[(index / stride) % TRANSFORMS.length] ?? [];
    if (index % stride !== 0 || !transform || !scaleFactor) return [];
    const createDamaged = (mesh: IndexedMesh) => spoilt(mesh, spoil, index + 1);
    return [{ name: `${body}, ${damage}, ${label}`, spoil, scaleFactor, createBody, createDamaged, transform }];
  });
}
