import { measureGroups } from '../analysis/measure.js';
import type { IndexedMesh, OnProgress } from '../mesh.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../spatial/on-triangle.js';
import { type Divided, divideTriangles } from './divide-triangles.js';
import { createWallProbe, FINE, POSSIBLY_THIN, THIN } from './wall-probe.js';

/** The names of the objects of the marked mesh. */
export const WALLS = { thin: 'thin', possiblyThin: 'possibly thin', fine: 'thick enough' } as const;

export interface WallAnalysis {
  hasThinWalls: boolean;
  hasPossibleThinWalls: boolean;
  /** The surface, its triangles divided where that shows more, in up to three objects by the names of `WALLS`. */
  marked: IndexedMesh;
  /** How far the points that were looked at are from each other, in mm: more than asked for where there would be too many. */
  spacingMm: number;
}

export interface WallOptions {
  minimalMm: number;
  /** How densely the surface is looked at: points are `2 * minimalMm / (1 + accuracy)` apart. */
  accuracy: number;
  onProgress?: OnProgress | undefined;
}

// Points that are looked at, at most: about.
const MOST_POINTS = 600_000;
// Points along a side of one triangle, at most, before it is divided.
const MOST_DIVISIONS = 64;
const MOST_ROUNDS = 12;

/**
 * Finds where the walls of a body are thinner than `minimalMm`. Triangles whose points differ are divided until they are as small as the points are
 * apart. The mesh must face outward; of one that is open or inside out the answer says little.
 */
export function analyzeWalls(mesh: IndexedMesh, { minimalMm, accuracy, onProgress }: WallOptions): WallAnalysis {
  const probe = createWallProbe(mesh, minimalMm);
  const spacingMm = Math.max((2 * minimalMm) / (1 + accuracy), Math.sqrt(areaOf(mesh) / MOST_POINTS));
  let divided: Divided = {
    positions: mesh.positions,
    triangles: mesh.triangles,
    sourceOf: Uint32Array.from({ length: mesh.triangles.length / 3 }, (_, triangle) => triangle),
  };
  let judged = judge(divided, probe, spacingMm);
  for (let round = 0; round < MOST_ROUNDS && judged.isMixed.includes(1); round++) {
    onProgress?.((round + 1) / MOST_ROUNDS);
    divided = divideTriangles(divided, judged.isMixed);
    judged = judge(divided, probe, spacingMm);
  }
  const { worst } = judged;
  return {
    hasThinWalls: worst.includes(THIN),
    hasPossibleThinWalls: worst.includes(POSSIBLY_THIN),
    marked: inObjects(divided, worst),
    spacingMm,
  };
}

/** triangle → the worst that a point of it is, and 1 where its points differ and it can still be divided */
function judge(mesh: Divided, probe: ReturnType<typeof createWallProbe>, spacingMm: number) {
  const worst = new Uint8Array(mesh.sourceOf.length);
  const isMixed = new Uint8Array(mesh.sourceOf.length);
  const point = new Float64Array(3);
  for (let triangle = 0; triangle < worst.length; triangle++) {
    const n = Math.min(MOST_DIVISIONS, Math.max(1, Math.ceil(longestEdgeLength(mesh, triangle) / spacingMm)));
    let best = THIN;
    forEachSamplePoint(n, (s, t) => {
      writeBarycentricPoint(mesh, triangle, s, t, point);
      const found = probe(mesh.sourceOf[triangle], point);
      worst[triangle] = Math.max(worst[triangle], found);
      best = Math.min(best, found);
    });
    if (n > 1 && best !== worst[triangle]) isMixed[triangle] = 1;
  }
  return { worst, isMixed };
}

/** The triangles in three objects, those that are thin first; objects without triangles are left out. */
function inObjects({ positions, triangles }: Divided, worst: Uint8Array): IndexedMesh {
  const sorted = new Uint32Array(triangles.length);
  const objects: NonNullable<IndexedMesh['objects']> = [];
  let at = 0;
  for (const [name, kind] of [
    [WALLS.thin, THIN],
    [WALLS.possiblyThin, POSSIBLY_THIN],
    [WALLS.fine, FINE],
  ] as const) {
    const firstTriangle = at / 3;
    for (let triangle = 0; triangle < worst.length; triangle++) {
      if (worst[triangle] !== kind) continue;
      sorted.set(triangles.subarray(triangle * 3, triangle * 3 + 3), at);
      at += 3;
    }
    if (at / 3 > firstTriangle) objects.push({ name, firstTriangle, triangleCount: at / 3 - firstTriangle });
  }
  return { positions, triangles: sorted, objects };
}

function areaOf({ positions, triangles }: IndexedMesh): number {
  const { areaMm2 } = measureGroups({ positions, triangles }, new Uint32Array(triangles.length / 3), 1);
  return areaMm2[0];
}
