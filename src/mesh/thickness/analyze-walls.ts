import { measureGroups } from '../analysis/measure.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import { type SubdividedMesh, subdivideTriangles } from './subdivide-triangles.js';
import { createWallProbe, POSSIBLY_THIN, THICK_ENOUGH, THIN } from './wall-probe.js';

/** The names of the objects of the marked mesh. */
export const WALL_OBJECT_NAMES = { thin: 'thin', possiblyThin: 'possibly thin', fine: 'thick enough' } as const;

export interface WallAnalysis {
  hasThinWalls: boolean;
  hasPossibleThinWalls: boolean;
  /** The surface, its triangles divided where that shows more, in up to three objects by the names of `WALL_OBJECT_NAMES`. */
  marked: IndexedMesh;
  /** How far the points that were looked at are from each other, in mm: more than asked for where there would be too many. */
  spacingMm: number;
}

export interface WallOptions {
  minThicknessMm: number;
  /** How densely the surface is looked at: points are `2 * minThicknessMm / (1 + accuracy)` apart. */
  accuracy: number;
  onProgress?: OnProgress | undefined;
}

// Points that are looked at, at most: about.
const MAX_SAMPLES = 600_000;
// Points along a side of one triangle, at most, before it is divided.
const MAX_DIVISIONS = 64;
const MAX_ROUNDS = 12;

/**
 * Finds where the walls of a body are thinner than `minThicknessMm`. Triangles whose points differ are divided until they are as small as the points are
 * apart. The mesh must face outward; of one that is open or inside out the answer says little.
 */
export function analyzeWalls(mesh: IndexedMesh, { minThicknessMm, accuracy, onProgress }: WallOptions): WallAnalysis {
  const probe = createWallProbe(mesh, minThicknessMm);
  const spacingMm = Math.max((2 * minThicknessMm) / (1 + accuracy), Math.sqrt(areaOf(mesh) / MAX_SAMPLES));
  let divided: SubdividedMesh = {
    positions: mesh.positions,
    triangles: mesh.triangles,
    sourceOf: Uint32Array.from({ length: mesh.triangles.length / 3 }, (_, triangle) => triangle),
  };
  let classified = classifyTriangles(divided, probe, spacingMm);
  for (let round = 0; round < MAX_ROUNDS && classified.isMixed.includes(1); round++) {
    onProgress?.((round + 1) / MAX_ROUNDS);
    divided = subdivideTriangles(divided, classified.isMixed);
    classified = classifyTriangles(divided, probe, spacingMm);
  }
  const { worst } = classified;
  return {
    hasThinWalls: worst.includes(THIN),
    hasPossibleThinWalls: worst.includes(POSSIBLY_THIN),
    marked: groupIntoObjects(divided, worst),
    spacingMm,
  };
}

/** triangle → the worst that a point of it is, and 1 where its points differ and it can still be divided */
function classifyTriangles(mesh: SubdividedMesh, probe: ReturnType<typeof createWallProbe>, spacingMm: number) {
  const worst = new Uint8Array(mesh.sourceOf.length);
  const isMixed = new Uint8Array(mesh.sourceOf.length);
  const point = new Float64Array(3);
  for (let triangle = 0; triangle < worst.length; triangle++) {
    const n = Math.min(MAX_DIVISIONS, Math.max(1, Math.ceil(longestEdgeLength(mesh, triangle) / spacingMm)));
    let best = THIN;
    forEachSamplePoint(n, (s, t) => {
      writeBarycentricPoint(mesh, triangle, s, t, point);
      const sample = probe(mesh.sourceOf[triangle], point);
      worst[triangle] = Math.max(worst[triangle], sample);
      best = Math.min(best, sample);
    });
    if (n > 1 && best !== worst[triangle]) isMixed[triangle] = 1;
  }
  return { worst, isMixed };
}

/** The triangles in three objects, those that are thin first; objects without triangles are left out. */
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

function areaOf({ positions, triangles }: IndexedMesh): number {
  const { areaMm2 } = measureGroups({ positions, triangles }, new Uint32Array(triangles.length / 3), 1);
  return areaMm2[0];
}
