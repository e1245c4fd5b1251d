import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import type { Point } from '../geometry/far-origin.js';
import { float32UlpAt, roundToFloat32From } from '../geometry/float32-ulp.js';
import type { EditableMesh } from './editable-mesh.js';

/** Random positions tried for a single vertex. */
const RANDOM_ATTEMPTS = 12;
/** Random sets of positions tried for several vertices. */
const JOINT_ATTEMPTS = 24;
/** Probability that one of several vertices keeps its position in an attempt. */
const KEEP_PROBABILITY = 0.3;

/** How vertices are moved. */
export interface MoveOptions {
  /** The largest displacement along each axis, in float32 ulps. */
  maxUlps: number;
  /** The point relative to which positions are float32. */
  origin: Point;
  /** Returns numbers from 0 to 1. */
  random: () => number;
}

/**
 * Moves a vertex by at most `maxUlps` float32 ulps along each axis, if the number of defects decreases. Tries the
 * directions, their opposites, then random ones.
 *
 * @param directions unit vectors
 */
export function tryMoveVertex(
  surface: EditableMesh,
  vertex: number,
  directions: readonly (readonly number[])[],
  options: MoveOptions,
): void {
  const region = surface.createEditRegion(surface.oneRingOf(vertex));
  if (region.defectCount === 0) return;
  const tryDirection = (direction: readonly number[]) =>
    surface.tryEdit(region, () => moveByUlps(surface, vertex, direction, options));
  for (const direction of directions)
    if (tryDirection(direction) || tryDirection(direction.map((part) => -part))) return;
  for (let i = 0; i < RANDOM_ATTEMPTS; i++) if (tryDirection(createRandomOffset(options.random))) return;
}

/**
 * Moves several vertices at once by random offsets of at most `maxUlps` float32 ulps along each axis, if the number of
 * defects decreases.
 */
export function tryMoveVertices(surface: EditableMesh, vertices: readonly number[], options: MoveOptions): void {
  const { random } = options;
  const region = surface.createEditRegion([...new Set(vertices.flatMap((vertex) => surface.oneRingOf(vertex)))]);
  const moveSome = () => {
    for (const vertex of vertices)
      if (random() >= KEEP_PROBABILITY) moveByUlps(surface, vertex, createRandomOffset(random), options);
  };
  for (let i = 0; i < JOINT_ATTEMPTS; i++) if (surface.tryEdit(region, moveSome)) return;
}

/** Returns the unit normal of a triangle; all zeros if it is degenerate. */
export function unitNormalOf(surface: EditableMesh, triangle: number): number[] {
  const normal = doubleAreaNormal(surface.positions, surface.triangles, triangle);
  const length = Math.hypot(...normal);
  return normal.map((part) => (length > 0 ? part / length : 0));
}

/** Returns a random vector in the cube from -1 to 1. */
function createRandomOffset(random: () => number): number[] {
  return [0, 1, 2].map(() => random() * 2 - 1);
}

/** Moves a vertex along `direction`, scaled by `maxUlps` and rounded to whole ulps along each axis. */
function moveByUlps(
  surface: EditableMesh,
  vertex: number,
  direction: readonly number[],
  { maxUlps, origin }: MoveOptions,
): void {
  const ulp = float32UlpAt(surface.positions, vertex, origin);
  const coordinates = direction.map((part, k) =>
    roundToFloat32From(surface.positions[vertex * 3 + k] + Math.round(part * maxUlps) * ulp, origin[k]),
  );
  surface.move(vertex, coordinates);
}
