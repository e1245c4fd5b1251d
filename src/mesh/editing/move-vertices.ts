import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { float32UlpAt } from '../rounding/float32-ulp.js';
import type { EditableMesh } from './editable-mesh.js';

/** Random places tried for a vertex that moves alone, and sets of them for vertices that move together. */
const RANDOM_ATTEMPTS = 12;
const JOINT_ATTEMPTS = 24;
/** Of vertices that move together, this share stays each time. */
const KEEP_PROBABILITY = 0.3;

/** Moves a vertex at most `reach` steps of float32 along each axis where less is wrong then: along these unit vectors, against them, anywhere. */
export function tryMoveVertex(
  surface: EditableMesh,
  vertex: number,
  reach: number,
  directions: readonly (readonly number[])[],
  random: () => number,
): void {
  const group = surface.createEditRegion(surface.oneRingOf(vertex));
  if (group.defectCount === 0) return;
  const tryAlong = (direction: readonly number[]) =>
    surface.tryEdit(group, () => moveByUlps(surface, vertex, reach, direction));
  for (const direction of directions) if (tryAlong(direction) || tryAlong(direction.map((part) => -part))) return;
  for (let i = 0; i < RANDOM_ATTEMPTS; i++) if (tryAlong(randomOffset(random))) return;
}

/** Moves several vertices at once, each at most `reach` steps along each axis, where less is wrong then. */
export function tryMoveVertices(
  surface: EditableMesh,
  vertices: readonly number[],
  reach: number,
  random: () => number,
): void {
  const group = surface.createEditRegion([...new Set(vertices.flatMap((vertex) => surface.oneRingOf(vertex)))]);
  const shiftSome = () => {
    for (const vertex of vertices)
      if (random() >= KEEP_PROBABILITY) moveByUlps(surface, vertex, reach, randomOffset(random));
  };
  for (let i = 0; i < JOINT_ATTEMPTS; i++) if (surface.tryEdit(group, shiftSome)) return;
}

/** The normal of a triangle, one long; all zeros where it has no area. */
export function unitNormalOf(surface: EditableMesh, triangle: number): number[] {
  const normal = doubleAreaNormal(surface.positions, surface.triangles, triangle);
  const length = Math.hypot(...normal);
  return normal.map((part) => (length > 0 ? part / length : 0));
}

/** A place in the cube from -1 to 1. */
const randomOffset = (random: () => number): number[] => [0, 1, 2].map(() => random() * 2 - 1);

function moveByUlps(surface: EditableMesh, vertex: number, reach: number, direction: readonly number[]): void {
  const step = float32UlpAt(surface.positions, vertex);
  const coordinates = direction.map((part, k) =>
    Math.fround(surface.positions[vertex * 3 + k] + Math.round(part * reach) * step),
  );
  surface.move(vertex, coordinates);
}
