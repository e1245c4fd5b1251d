import { distance } from '../geometry/distance.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { type Bvh, forEachTriangleInBox } from '../spatial/bvh.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { buildPointTree } from '../spatial/point-tree.js';
import { nextOf, triangleOf } from '../topology/half-edge.js';
import { groupCornersByVertex, type VertexCorners } from '../topology/one-rings.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';

/** Limits the tolerance for a triangle, so that its corners are not confused with each other. */
const MAX_FRACTION_OF_SHORTEST_EDGE = 0.45;

/**
 * Drops open shells that are drawn twice: each triangle has its corners within `toleranceMm` of those of a triangle of
 * another shell, in either winding. The smallest shells come first. A shell is never compared with itself, so that the
 * sides of a thin wall are kept.
 */
export function dropNearDuplicateShells(state: MeshState, toleranceMm: number): MeshState {
  const { mesh, index } = state;
  const { boundary } = index.edgeDefects();
  const { shellOf, count } = index.shells();
  if (boundary.length === 0 || count === 1) return state;
  const isDropped = new Uint8Array(count); // shell → 1 if it is dropped
  const trianglesOf = groupByShell(shellOf, new Set(boundary.map((h) => shellOf[triangleOf(h)])));
  const { areaMm2 } = measureGroups(mesh, shellOf, count);
  const search = createCornerSearch(mesh);
  for (const [shell, members] of [...trianglesOf].sort(([a], [b]) => areaMm2[a] - areaMm2[b] || b - a)) {
    const isOther = (triangle: number) => shellOf[triangle] !== shell && isDropped[shellOf[triangle]] === 0;
    if (members.every((triangle) => hasNearDuplicate(search, triangle, toleranceMm, isOther))) isDropped[shell] = 1;
  }
  if (!isDropped.includes(1)) return state;
  const kept = [...shellOf.keys()].filter((triangle) => isDropped[shellOf[triangle]] === 0);
  return createMeshState(selectTriangles(mesh, kept));
}

/** shell → its triangles, for some shells */
function groupByShell(shellOf: Uint32Array, included: ReadonlySet<number>): Map<number, number[]> {
  const trianglesOf = new Map<number, number[]>([...included].map((shell) => [shell, []]));
  for (let triangle = 0; triangle < shellOf.length; triangle++) trianglesOf.get(shellOf[triangle])?.push(triangle);
  return trianglesOf;
}

/** Finds triangles by the positions of their corners: the boxes of long triangles would contain most others. */
interface CornerSearch extends VertexCorners {
  mesh: TaggedMesh;
  /** A tree of the vertices. */
  vertices: Bvh;
}

function createCornerSearch(mesh: TaggedMesh): CornerSearch {
  const vertexCount = mesh.positions.length / 3;
  const all = Uint32Array.from({ length: vertexCount }, (_, vertex) => vertex);
  return { mesh, vertices: buildPointTree(mesh.positions, all), ...groupCornersByVertex(mesh.triangles, vertexCount) };
}

/** Returns whether the corners of a triangle accepted by `filter` are near those of `triangle`. */
function hasNearDuplicate(
  { mesh: { positions, triangles }, vertices, starts, corners }: CornerSearch,
  triangle: number,
  toleranceMm: number,
  filter: (triangle: number) => boolean,
): boolean {
  const halfEdges = [triangle * 3, triangle * 3 + 1, triangle * 3 + 2];
  const lengths = halfEdges.map((h) => distance(positions, triangles[h], triangles[nextOf(h)]));
  const limitMm = Math.min(toleranceMm, MAX_FRACTION_OF_SHORTEST_EDGE * Math.min(...lengths));
  const isNearTo = (other: number) =>
    halfEdges.every((h) =>
      [0, 1, 2].some((k) => distance(positions, triangles[h], triangles[other * 3 + k]) <= limitMm),
    );
  const valence = (vertex: number) => starts[vertex + 1] - starts[vertex];
  // Near the vertex with the fewest triangles there are few others to compare.
  const [vertex] = halfEdges.map((h) => triangles[h]).sort((a, b) => valence(a) - valence(b));
  const center = [...positions.subarray(vertex * 3, vertex * 3 + 3)];
  const [min, max] = [center.map((part) => part - limitMm), center.map((part) => part + limitMm)];
  let isFound = false;
  forEachTriangleInBox(vertices, min, max, (near) => {
    for (let i = starts[near]; !isFound && i < starts[near + 1]; i++) {
      const other = triangleOf(corners[i]);
      isFound = filter(other) && isNearTo(other);
    }
  });
  return isFound;
}
