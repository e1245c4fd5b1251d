import { dot } from '../core/vec3.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import type { MeshState } from '../spatial/mesh-index.js';
import { type Edges, mapHalfEdgesToEdges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';

/**
 * Two triangles at an edge form a fold if the cosine of the angle between their normals is below minus this. Whether
 * they lie in one plane is decided by distances.
 */
const FOLD_COSINE = 0.99;
/** At an edge with more triangles than this, not all pairs are compared. */
const MAX_TRIANGLES_PER_EDGE = 8;

/** Edge-connected triangles in one plane. */
export interface PlanarRegion {
  members: readonly number[];
  /** The dominant axis of the plane's normal: projected along it, no triangle degenerates. */
  axis: number;
}

/**
 * Finds regions of edge-connected triangles of one object, with all corners within `toleranceMm` of a plane, whose
 * triangles face both ways and therefore overlap. The plane is that of the largest triangle at a fold, which is an edge
 * from which two triangles extend to the same side. No triangle is in two regions.
 */
export function* findFoldedRegions({ mesh, index }: MeshState, toleranceMm: number): Generator<PlanarRegion> {
  const edges = index.edges();
  const edgesOf = mapHalfEdgesToEdges(edges);
  const isAssigned = new Uint8Array(mesh.triangles.length / 3);
  for (const seed of findFolds(mesh, edges)) {
    if (isAssigned[seed] === 1) continue;
    const normal = doubleAreaNormal(mesh.positions, mesh.triangles, seed);
    const members = growRegion(mesh, edges, edgesOf, seed, normal, toleranceMm, isAssigned);
    const isFolded = members.some(
      (triangle) => dot(doubleAreaNormal(mesh.positions, mesh.triangles, triangle), normal) < 0,
    );
    const absNormal = normal.map(Math.abs);
    if (isFolded) yield { members, axis: absNormal.indexOf(Math.max(...absNormal)) };
  }
}

/** Returns the larger triangle of each pair that forms a fold, by descending area. */
function findFolds({ positions, triangles }: TaggedMesh, { order, starts }: Edges): number[] {
  const areaOf = new Map<number, number>();
  const recordFold = (s: number, t: number) => {
    const n = doubleAreaNormal(positions, triangles, s);
    const m = doubleAreaNormal(positions, triangles, t);
    const [area, other] = [Math.hypot(...n), Math.hypot(...m)];
    if (!(dot(n, m) < -FOLD_COSINE * area * other)) return;
    if (area >= other) areaOf.set(s, area);
    else areaOf.set(t, other);
  };
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const end = Math.min(starts[edge + 1], i + MAX_TRIANGLES_PER_EDGE);
      for (let j = i + 1; j < end; j++) recordFold(triangleOf(order[i]), triangleOf(order[j]));
    }
  }
  return [...areaOf].sort(([s, area], [t, other]) => other - area || s - t).map(([triangle]) => triangle);
}

/** Collects the triangles around `seed` whose corners are near its plane, and marks them in `isAssigned`. */
function growRegion(
  { positions, triangles, objectOf }: TaggedMesh,
  { order, starts }: Edges,
  edgesOf: Uint32Array,
  seed: number,
  normal: readonly number[],
  toleranceMm: number,
  isAssigned: Uint8Array,
): number[] {
  const origin = triangles[seed * 3] * 3;
  const scaledTolerance = toleranceMm * Math.hypot(...normal);
  const isNear = (vertex: number) => {
    const from = [0, 1, 2].map((k) => positions[vertex * 3 + k] - positions[origin + k]);
    return Math.abs(dot(from, normal)) <= scaledTolerance;
  };
  const members = [seed];
  isAssigned[seed] = 1;
  for (let index = 0; index < members.length; index++) {
    for (let h = members[index] * 3; h < members[index] * 3 + 3; h++) {
      for (let i = starts[edgesOf[h]]; i < starts[edgesOf[h] + 1]; i++) {
        const next = triangleOf(order[i]);
        if (isAssigned[next] === 1 || objectOf[next] !== objectOf[seed]) continue;
        if (!triangles.subarray(next * 3, next * 3 + 3).every(isNear)) continue;
        isAssigned[next] = 1;
        members.push(next);
      }
    }
  }
  return members;
}
