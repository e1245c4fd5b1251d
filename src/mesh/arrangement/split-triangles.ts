import type { IndexedMesh } from '../core/mesh.js';
import { ConstrainedDelaunay } from '../triangulation/constrained-delaunay.js';
import { insertConstraint } from '../triangulation/insert-constraint.js';
import type { SegmentCrossing } from './intersect-segments.js';
import { type IntersectionGraph, localCoordinates, sideContaining } from './intersection-segments.js';

/** A mesh of which no triangle goes through another any more: they meet along edges. */
export interface SplitMesh {
  positions: Float64Array<ArrayBuffer>;
  triangles: Uint32Array<ArrayBuffer>;
  /** triangle → the one that it is a part of */
  parentOf: Uint32Array<ArrayBuffer>;
}

/** Splits triangles along their cuts. `undefined` where rounding has left points so that a triangle cannot be divided along all of them. */
export function splitTriangles(
  mesh: IndexedMesh,
  cuts: IntersectionGraph,
  crossingsOf: ReadonlyMap<number, readonly SegmentCrossing[]>,
): SplitMesh | undefined {
  const parts: number[] = [];
  const parents: number[] = [];
  for (const triangle of cuts.segmentsOf.keys()) {
    const divided = subdivideTriangle(mesh, cuts, crossingsOf, triangle);
    if (divided === undefined) return undefined;
    for (let i = 0; i < divided.length; i++) parts.push(divided[i]);
    for (let i = 0; i < divided.length; i += 3) parents.push(triangle);
  }
  const wholeCount = mesh.triangles.length / 3 - cuts.segmentsOf.size;
  const triangles = new Uint32Array(wholeCount * 3 + parts.length);
  const parentOf = new Uint32Array(triangles.length / 3);
  let count = 0;
  for (let triangle = 0; triangle < mesh.triangles.length / 3; triangle++) {
    if (cuts.segmentsOf.has(triangle)) continue;
    triangles.set(mesh.triangles.subarray(triangle * 3, triangle * 3 + 3), count * 3);
    parentOf[count++] = triangle;
  }
  triangles.set(parts, count * 3);
  parentOf.set(parents, count);
  const positions = new Float64Array(mesh.positions.length + cuts.coordinates.length);
  positions.set(mesh.positions);
  positions.set(cuts.coordinates, mesh.positions.length);
  return { positions, triangles, parentOf };
}

/** The points in and round one triangle, numbered for it alone. */
interface LocalTriangulation {
  xy: number[];
  /** local → point */
  points: number[];
  /** point → local */
  indexOf: Map<number, number>;
  edges: [number, number][];
}

function subdivideTriangle(
  mesh: IndexedMesh,
  cuts: IntersectionGraph,
  crossingsOf: ReadonlyMap<number, readonly SegmentCrossing[]>,
  triangle: number,
): number[] | undefined {
  const local = collectLocalPoints(mesh, cuts, crossingsOf, triangle);
  const sides: number[][] = [[], [], []];
  const inner: number[] = [];
  local.points.forEach((point, index) => {
    if (index < 3) return;
    const side = sideContaining(cuts, triangle, point);
    (side === undefined ? inner : sides[side]).push(index);
  });
  const { xy } = local;
  const plane = new ConstrainedDelaunay(xy);
  sides.forEach((on, side) => {
    // Along side 0 x grows, along side 1 y does, along side 2 it falls.
    const along = (index: number) => (side === 0 ? xy[index * 2] : side === 1 ? xy[index * 2 + 1] : -xy[index * 2 + 1]);
    plane.splitSide(
      side,
      on.sort((a, b) => along(a) - along(b) || local.points[a] - local.points[b]),
    );
  });
  plane.legalize([...plane.originOf.keys()]);
  for (const index of inner) if (!plane.insert(index)) return undefined;
  for (const [a, b] of local.edges) if (!insertConstraint(plane, a, b)) return undefined;
  return plane.originOf.map((index) => local.points[index]);
}

function collectLocalPoints(
  mesh: IndexedMesh,
  cuts: IntersectionGraph,
  crossingsOf: ReadonlyMap<number, readonly SegmentCrossing[]>,
  triangle: number,
): LocalTriangulation {
  const corners = [...mesh.triangles.subarray(triangle * 3, triangle * 3 + 3)];
  const local: LocalTriangulation = {
    xy: [0, 0, 1, 0, 0, 1],
    points: corners,
    indexOf: new Map(corners.map((point, index) => [point, index])),
    edges: [],
  };
  const add = (point: number, place: readonly [number, number]): number => {
    const existing = local.indexOf.get(point);
    if (existing !== undefined) return existing;
    const index = local.points.push(point) - 1;
    local.indexOf.set(point, index);
    local.xy.push(...place);
    return index;
  };
  for (const cut of cuts.segmentsOf.get(triangle) ?? []) {
    const { from, to } = cuts.cuts[cut];
    const start = localCoordinates(mesh, cuts, triangle, from);
    const end = localCoordinates(mesh, cuts, triangle, to);
    let last = add(from, start);
    for (const { point, parameter } of crossingsOf.get(cut) ?? []) {
      const next = add(point, [start[0] + parameter * (end[0] - start[0]), start[1] + parameter * (end[1] - start[1])]);
      local.edges.push([last, next]);
      last = next;
    }
    local.edges.push([last, add(to, end)]);
  }
  return local;
}
