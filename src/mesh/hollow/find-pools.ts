import type { MeshGeometry } from '../core/mesh.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { forEachSamplePoint, longestEdgeLength, writeBarycentricPoint } from '../geometry/sample-triangle.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { triangleOf } from '../topology/half-edge.js';
import { groupCornersByVertex, type VertexCorners } from '../topology/one-rings.js';

/** The direction that is up when the model is printed or drained. */
export type UpAxis = 'x' | 'y' | 'z' | '-x' | '-y' | '-z';

/** A part of a cavity from which a liquid can drain only at its bottom. */
export interface Pool {
  /** A triangle at the lowest vertex. */
  triangle: number;
  /** The lowest vertex: x, y, z in mm. */
  lowest: number[];
  /** Returns the lowest vertex, then points spread over the surface up to `heightMm` above it. */
  collectFloor(heightMm: number): FloorPoint[];
}

/** A point of the floor of a pool. */
export interface FloorPoint {
  /** x, y, z in mm */
  position: number[];
  /** The area that it stands for; 0 for the lowest vertex. */
  areaMm2: number;
}

/** Points of a floor along the side of a square of its area. */
const FLOOR_DIVISIONS = 12;
/** Limit of the points along the side of a triangle of a floor. */
const MAX_TRIANGLE_DIVISIONS = 24;

/** Returns the unit vector of an axis. */
export function toUnitVector(axis: UpAxis): [number, number, number] {
  const sign = axis.startsWith('-') ? -1 : 1;
  const index = 'xyz'.indexOf(axis.slice(-1));
  return [index === 0 ? sign : 0, index === 1 ? sign : 0, index === 2 ? sign : 0];
}

/**
 * Finds the pools of cavities, lowest first: the minima of the height on their surface, which faces away from them. A
 * minimum counts if the surface has to rise by `minDepthMm` to connect it to a lower one (persistence, Edelsbrunner et
 * al. 2002). Minima below which the cavity continues are no pools.
 */
export function findPools(cavity: MeshGeometry, upAxis: UpAxis, minDepthMm: number): Pool[] {
  const { positions, triangles } = cavity;
  const up = toUnitVector(upAxis);
  const heights = new Float64Array(positions.length / 3);
  for (let i = 0; i < positions.length; i++) heights[Math.floor(i / 3)] += positions[i] * up[i % 3];
  const corners = groupCornersByVertex(triangles, heights.length);
  return findMinima(triangles, heights, corners, minDepthMm)
    .filter(({ vertex, isLowest }) => isLowest || isFloor(cavity, corners, vertex, up))
    .map(({ vertex }) => ({
      triangle: triangleOf(corners.corners[corners.starts[vertex]]),
      lowest: [...positions.slice(vertex * 3, vertex * 3 + 3)],
      collectFloor: (heightMm) => collectFloor(cavity, heights, corners, vertex, heightMm),
    }));
}

interface Minimum {
  vertex: number;
  /** Whether it is the lowest vertex of its shell. */
  isLowest: boolean;
}

/** Returns the vertices that are minima of the height, lowest first. */
function findMinima(
  triangles: Uint32Array,
  heights: Float64Array,
  { starts, corners }: VertexCorners,
  minDepthMm: number,
): Minimum[] {
  const order = Uint32Array.from(heights, (_, vertex) => vertex).sort((a, b) => heights[a] - heights[b] || a - b);
  const rankOf = new Uint32Array(order.length);
  order.forEach((vertex, rank) => {
    rankOf[vertex] = rank;
  });
  // The representative of a set is its lowest vertex.
  const sets = new DisjointSets(order.length);
  const minima: { rank: number; isLowest: boolean }[] = [];
  for (let rank = 0; rank < order.length; rank++) {
    const vertex = order[rank];
    for (let i = starts[vertex]; i < starts[vertex + 1]; i++) {
      const first = triangleOf(corners[i]) * 3;
      for (let corner = first; corner < first + 3; corner++) {
        const other = rankOf[triangles[corner]];
        if (other >= rank || sets.find(other) === sets.find(rank)) continue;
        const higher = Math.max(sets.find(other), sets.find(rank));
        if (heights[vertex] - heights[order[higher]] >= minDepthMm) minima.push({ rank: higher, isLowest: false });
        sets.union(other, rank);
      }
    }
  }
  for (let rank = 0; rank < order.length; rank++) {
    const isUsed = starts[order[rank] + 1] > starts[order[rank]];
    if (isUsed && sets.find(rank) === rank) minima.push({ rank, isLowest: true });
  }
  return minima.sort((a, b) => a.rank - b.rank).map(({ rank, isLowest }) => ({ vertex: order[rank], isLowest }));
}

/** Whether the surface around a vertex faces down. */
function isFloor(
  { positions, triangles }: MeshGeometry,
  { starts, corners }: VertexCorners,
  vertex: number,
  up: readonly number[],
): boolean {
  let sum = 0;
  for (let i = starts[vertex]; i < starts[vertex + 1]; i++) {
    const normal = doubleAreaNormal(positions, triangles, triangleOf(corners[i]));
    sum += normal[0] * up[0] + normal[1] * up[1] + normal[2] * up[2];
  }
  return sum < 0;
}

/** Returns a vertex, and points of the triangles connected to it up to `floorHeightMm` above it. */
function collectFloor(
  mesh: MeshGeometry,
  heights: Float64Array,
  { starts, corners }: VertexCorners,
  lowest: number,
  floorHeightMm: number,
): FloorPoint[] {
  const { positions, triangles } = mesh;
  const maxHeight = heights[lowest] + floorHeightMm;
  const vertices = new Set([lowest]);
  const found = new Set<number>();
  for (const vertex of vertices) {
    for (let i = starts[vertex]; i < starts[vertex + 1]; i++) {
      const triangle = triangleOf(corners[i]);
      found.add(triangle);
      for (let corner = triangle * 3; corner < triangle * 3 + 3; corner++)
        if (heights[triangles[corner]] <= maxHeight) vertices.add(triangles[corner]);
    }
  }
  let areaMm2 = 0;
  for (const triangle of found) areaMm2 += Math.hypot(...doubleAreaNormal(positions, triangles, triangle)) / 2;
  const spacingMm = Math.sqrt(areaMm2) / FLOOR_DIVISIONS;
  const floor = [{ position: [...positions.slice(lowest * 3, lowest * 3 + 3)], areaMm2: 0 }];
  const point = new Float64Array(3);
  for (const triangle of found) {
    const divisions = Math.min(MAX_TRIANGLE_DIVISIONS, Math.ceil(longestEdgeLength(mesh, triangle) / spacingMm));
    const [a, b, c] = [0, 1, 2].map((k) => heights[triangles[triangle * 3 + k]]);
    const areaMm2 = Math.hypot(...doubleAreaNormal(positions, triangles, triangle)) / (divisions * (divisions + 1));
    forEachSamplePoint(divisions, (s, t) => {
      if (a * (1 - s - t) + b * s + c * t > maxHeight) return;
      writeBarycentricPoint(mesh, triangle, s, t, point);
      floor.push({ position: [...point], areaMm2 });
    });
  }
  return floor;
}
