import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { computeBounds } from '../geometry/bounds.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { longestEdgeLength } from '../geometry/sample-triangle.js';
import { countSpacedPoints, someSpacedPoint } from './spaced-points.js';
import { type SubdividedMesh, subdivideTriangles } from './subdivide-triangles.js';
import { ThinnestPlaces, type ThinPlace } from './thinnest-places.js';
import { createWallProbe, type OnThinWall, POSSIBLY_THIN, THICK_ENOUGH, THIN, type WallProbe } from './wall-probe.js';

/** The names of the objects in the marked mesh. */
export const WALL_OBJECT_NAMES = { thin: 'thin', possiblyThin: 'possibly thin', fine: 'thick enough' } as const;

export interface WallAnalysis {
  hasThinWalls: boolean;
  hasPossibleThinWalls: boolean;
  /** Up to ten places of thin walls, thinnest first. See `ThinnestPlaces`. */
  thinnestPlaces: ThinPlace[];
  /**
   * The surface, with subdivided triangles where their class varies, as up to three objects named by
   * `WALL_OBJECT_NAMES`.
   */
  marked: IndexedMesh;
  /** Distance between sample points. It is larger than requested if there would be too many points. */
  spacingMm: number;
}

export interface WallOptions {
  minThicknessMm: number;
  /** Sampling density: points are `2 * minThicknessMm / (1 + accuracy)` apart. */
  accuracy: number;
  onProgress?: OnProgress | undefined;
}

/** Approximate maximum number of sample points. */
const MAX_SAMPLES = 600_000;
/** Points per triangle that narrow triangles may have in addition, on average. */
const SAMPLES_PER_TRIANGLE = 4;
/**
 * The search for the walls behind all points takes at most as long as so many visits of nodes of the BVH for each
 * triangle, and so many in addition. Usual models need 20 to 1800 for each triangle, the more the thicker the walls. It
 * bounds the work for models with very many triangles at one place.
 */
export const VISITS_PER_TRIANGLE = 1500;
export const ADDED_VISITS = 180_000_000;
/** Maximum number of subdivisions. */
const MAX_ROUNDS = 12;

/**
 * Finds the parts of a mesh whose walls are thinner than `minThicknessMm`. Triangles with sample points of different
 * classes are subdivided until they are as small as the distance between points. The mesh must be closed and face
 * outward; otherwise the result is not meaningful.
 */
export function analyzeWalls(mesh: IndexedMesh, { minThicknessMm, accuracy, onProgress }: WallOptions): WallAnalysis {
  const thinnest = new ThinnestPlaces(computeBounds(mesh.positions), minThicknessMm);
  const count = mesh.triangles.length / 3;
  const maxVisits = ADDED_VISITS + VISITS_PER_TRIANGLE * count;
  const onThinWall: OnThinWall = (point, thicknessMm) => thinnest.add(point, thicknessMm);
  const probe = createWallProbe(mesh, minThicknessMm, onThinWall, maxVisits);
  const spacingMm = limitSamples(
    mesh,
    Math.max((2 * minThicknessMm) / (1 + accuracy), Math.sqrt(computeArea(mesh) / MAX_SAMPLES)),
  );
  let subdivided: SubdividedMesh = {
    positions: mesh.positions,
    triangles: mesh.triangles,
    sourceOf: Uint32Array.from({ length: count }, (_, triangle) => triangle),
    parentOf: Uint32Array.from({ length: count }, (_, triangle) => triangle),
  };
  let classes: Classes = { worst: new Uint8Array(count), isMixed: new Uint8Array(count).fill(1) };
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    classes = classifyTriangles(subdivided, classes, { probe, spacingMm, isLast: round === MAX_ROUNDS });
    onProgress?.((round + 1) / (MAX_ROUNDS + 1));
    if (round === MAX_ROUNDS || !classes.isMixed.includes(1)) break;
    subdivided = subdivideTriangles(subdivided, classes.isMixed, spacingMm);
  }
  const { worst } = classes;
  return {
    hasThinWalls: worst.includes(THIN),
    hasPossibleThinWalls: worst.includes(POSSIBLY_THIN),
    thinnestPlaces: thinnest.list(),
    marked: groupIntoObjects(subdivided, worst),
    spacingMm,
  };
}

/** Returns a distance between points, at least `spacingMm`, with a limited number of points. */
export function limitSamples(mesh: IndexedMesh, spacingMm: number): number {
  const maxCount = 2 * MAX_SAMPLES + (SAMPLES_PER_TRIANGLE * mesh.triangles.length) / 3;
  let limitedMm = spacingMm;
  while (countSpacedPoints(mesh, limitedMm) > maxCount) limitedMm *= 1.5;
  return limitedMm;
}

interface Classes {
  /** triangle → the worst class of its points */
  worst: Uint8Array;
  /** triangle → 1 if its points differ, and it can be subdivided */
  isMixed: Uint8Array;
}

/**
 * Classifies triangles whose parents are mixed; the others have the class of their parent. The points of a triangle are
 * tested until two differ, except in the last round.
 */
function classifyTriangles(
  mesh: SubdividedMesh,
  before: Classes,
  { probe, spacingMm, isLast }: { probe: WallProbe; spacingMm: number; isLast: boolean },
): Classes {
  const count = mesh.sourceOf.length;
  const classes: Classes = { worst: new Uint8Array(count), isMixed: new Uint8Array(count) };
  for (let triangle = 0; triangle < count; triangle++) {
    const parent = mesh.parentOf[triangle];
    if (before.isMixed[parent] === 0) {
      classes.worst[triangle] = before.worst[parent];
      continue;
    }
    const canDivide = !isLast && longestEdgeLength(mesh, triangle) > spacingMm;
    let best = THIN;
    let worst = THICK_ENOUGH;
    const isMixed = someSpacedPoint(mesh, triangle, spacingMm, (point) => {
      const sample = probe(mesh.sourceOf[triangle], point);
      worst = Math.max(worst, sample);
      best = Math.min(best, sample);
      return canDivide && best !== worst;
    });
    classes.worst[triangle] = worst;
    if (isMixed) classes.isMixed[triangle] = 1;
  }
  return classes;
}

/** Groups the triangles into three objects, thin ones first. Omits empty objects. */
function groupIntoObjects({ positions, triangles }: SubdividedMesh, worst: Uint8Array): IndexedMesh {
  const sorted = new Uint32Array(triangles.length);
  const objects: NonNullable<IndexedMesh['objects']> = [];
  let offset = 0;
  for (const [name, kind] of [
    [WALL_OBJECT_NAMES.thin, THIN],
    [WALL_OBJECT_NAMES.possiblyThin, POSSIBLY_THIN],
    [WALL_OBJECT_NAMES.fine, THICK_ENOUGH],
  ] as const) {
    const firstTriangle = offset / 3;
    for (let triangle = 0; triangle < worst.length; triangle++) {
      if (worst[triangle] !== kind) continue;
      sorted.set(triangles.subarray(triangle * 3, triangle * 3 + 3), offset);
      offset += 3;
    }
    if (offset / 3 > firstTriangle) objects.push({ name, firstTriangle, triangleCount: offset / 3 - firstTriangle });
  }
  return { positions, triangles: sorted, objects };
}

function computeArea({ positions, triangles }: IndexedMesh): number {
  const { areaMm2 } = measureGroups({ positions, triangles }, new Uint32Array(triangles.length / 3), 1);
  return areaMm2[0];
}
