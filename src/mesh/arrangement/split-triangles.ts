import type { IndexedMesh } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { ConstrainedDelaunay } from '../triangulation/constrained-delaunay.js';
import { insertConstraint } from '../triangulation/insert-constraint.js';
import type { SegmentCrossing } from './intersect-segments.js';
import { type IntersectionGraph, localCoordinates, sideContaining } from './intersection-segments.js';

/** A mesh whose triangles intersect only along shared edges and at shared vertices. */
export interface SplitMesh {
  positions: Float64Array<ArrayBuffer>;
  triangles: Uint32Array<ArrayBuffer>;
  /** triangle → the triangle of the source mesh that it is a part of */
  parentOf: Uint32Array<ArrayBuffer>;
}

/** Units of work per corner of a new triangle. */
const CORNER_WORK = 2;

/**
 * Splits the triangles of a mesh along their intersection segments, by a constrained Delaunay triangulation of each.
 *
 * @param crossingsOf segment → crossings on it, in order from its start
 * @param work counts the points of the triangles
 * @returns `undefined` if the rounded points of a triangle do not allow all of its segments, or the work exceeds its limit
 */
export function splitTriangles(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  crossingsOf: ReadonlyMap<number, readonly SegmentCrossing[]>,
  work: WorkCounter,
): SplitMesh | undefined {
  const parts: number[] = [];
  const parents: number[] = [];
  for (const triangle of graph.segmentsOf.keys()) {
    const subdivision = subdivideTriangle(mesh, graph, crossingsOf, triangle);
    if (subdivision === undefined || !work.add(subdivision.length * CORNER_WORK)) return undefined;
    for (let i = 0; i < subdivision.length; i++) parts.push(subdivision[i]);
    for (let i = 0; i < subdivision.length; i += 3) parents.push(triangle);
  }
  const unsplitCount = mesh.triangles.length / 3 - graph.segmentsOf.size;
  const triangles = new Uint32Array(unsplitCount * 3 + parts.length);
  const parentOf = new Uint32Array(triangles.length / 3);
  let count = 0;
  for (let triangle = 0; triangle < mesh.triangles.length / 3; triangle++) {
    if (graph.segmentsOf.has(triangle)) continue;
    triangles.set(mesh.triangles.subarray(triangle * 3, triangle * 3 + 3), count * 3);
    parentOf[count++] = triangle;
  }
  triangles.set(parts, count * 3);
  parentOf.set(parents, count);
  const positions = new Float64Array(mesh.positions.length + graph.coordinates.length);
  positions.set(mesh.positions);
  positions.set(graph.coordinates, mesh.positions.length);
  return { positions, triangles, parentOf };
}

/** The points in and on a triangle, with local indices. */
interface LocalTriangulation {
  /** local index → barycentric weights of the second and the third corner */
  xy: number[];
  /** local index → point */
  points: number[];
  /** point → local index */
  indexOf: Map<number, number>;
  /** Constraints, as local indices. */
  edges: [number, number][];
}

/** Triangulates a triangle with its points and segments. Returns three points per triangle. */
function subdivideTriangle(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
  crossingsOf: ReadonlyMap<number, readonly SegmentCrossing[]>,
  triangle: number,
): number[] | undefined {
  const local = collectLocalPoints(mesh, graph, crossingsOf, triangle);
  const sides: number[][] = [[], [], []];
  const inner: number[] = [];
  local.points.forEach((point, index) => {
    if (index < 3) return;
    const side = sideContaining(graph, triangle, point);
    (side === undefined ? inner : sides[side]).push(index);
  });
  const { xy } = local;
  const triangulation = new ConstrainedDelaunay(xy);
  sides.forEach((pointsOnSide, side) => {
    // x increases along side 0, y increases along side 1 and decreases along side 2.
    const positionOf = (index: number) =>
      side === 0 ? xy[index * 2] : side === 1 ? xy[index * 2 + 1] : -xy[index * 2 + 1];
    triangulation.splitSide(
      side,
      pointsOnSide.sort((a, b) => positionOf(a) - positionOf(b) || local.points[a] - local.points[b]),
    );
  });
  triangulation.legalize([...triangulation.originOf.keys()]);
  for (const index of inner) if (!triangulation.insert(index)) return undefined;
  for (const [a, b] of local.edges) if (!insertConstraint(triangulation, a, b)) return undefined;
  return triangulation.originOf.map((index) => local.points[index]);
}

/** Collects the corners of a triangle, the points on its segments, and the segments between them. */
function collectLocalPoints(
  mesh: IndexedMesh,
  graph: IntersectionGraph,
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
  const add = (point: number, coordinates: readonly [number, number]): number => {
    const existing = local.indexOf.get(point);
    if (existing !== undefined) return existing;
    const index = local.points.push(point) - 1;
    local.indexOf.set(point, index);
    local.xy.push(...coordinates);
    return index;
  };
  for (const segment of graph.segmentsOf.get(triangle) ?? []) {
    const { from, to } = graph.segments[segment];
    const start = localCoordinates(mesh, graph, triangle, from);
    const end = localCoordinates(mesh, graph, triangle, to);
    let previous = add(from, start);
    for (const { point, parameter } of crossingsOf.get(segment) ?? []) {
      const next = add(point, [start[0] + parameter * (end[0] - start[0]), start[1] + parameter * (end[1] - start[1])]);
      local.edges.push([previous, next]);
      previous = next;
    }
    local.edges.push([previous, add(to, end)]);
  }
  return local;
}
