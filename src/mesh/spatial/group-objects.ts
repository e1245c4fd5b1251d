import type { IndexedMesh } from '../core/mesh.js';
import { computeBounds, diagonalOf } from '../geometry/bounds.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { DisjointSets } from '../topology/disjoint-sets.js';
import { nextOf, triangleOf } from '../topology/half-edge.js';
import { type TaggedMesh, toTaggedMesh } from '../topology/tagged-mesh.js';
import { createContainingBoxesQuery, emptyBoxes, expandBox } from './containing-boxes.js';
import { createMeshIndex, type MeshIndex } from './mesh-index.js';
import { findNearPairs } from './near-pairs.js';
import { RAY_TILTS } from './ray-tilts.js';
import { createSidesQuery } from './triangle-sides.js';
import { windingNumber } from './winding-number.js';

/** Open edges match if they are closer than this fraction of the diagonal: the largest tolerance of a repair. */
const NEAR_FRACTION = 1e-4;
/** Objects match if this fraction of the open vertices of one is near open vertices of the other. */
const MIN_MATCHING_FRACTION = 0.5;

/** Groups the objects of a mesh to bodies: object + 1 → the first one of its body, where 0 is for triangles of no object. */
export function groupObjects(mesh: IndexedMesh): Uint32Array {
  const tagged = toTaggedMesh(mesh);
  const sets = new DisjointSets((mesh.objects?.length ?? 0) + 1);
  const index = createMeshIndex(mesh);
  uniteMatchingObjects(tagged, index, sets);
  const openEdges = findOpenEdges(tagged, index, sets);
  uniteNearObjects(tagged, openEdges, sets);
  uniteVoids(tagged, index, openEdges, sets);
  return Uint32Array.from({ length: (mesh.objects?.length ?? 0) + 1 }, (_, object) => sets.find(object));
}

/**
 * Unites the objects that have open edges in the same places: an edge of one triangle of each. Where there are more than
 * two, as at bodies that touch and are grouped by material, those are united that bound the same wedge of material.
 */
function uniteMatchingObjects({ objectOf }: TaggedMesh, index: MeshIndex, sets: DisjointSets): void {
  const { order, starts } = index.edges();
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const [first, end] = [starts[edge], starts[edge + 1]];
    if (end - first === 2) {
      // Of one object or of two, and open in both of them.
      sets.union(objectOf[triangleOf(order[first])], objectOf[triangleOf(order[first + 1])]);
      continue;
    }
    const objects = [...order.subarray(first, end)].map((h) => objectOf[triangleOf(h)]);
    const open = objects.filter((object) => objects.indexOf(object) === objects.lastIndexOf(object));
    if (open.length === 2) sets.union(open[0], open[1]);
    if (open.length <= 2) continue;
    for (let i = first; i < end; i++) {
      const [object, twin] = [objectOf[triangleOf(order[i])], index.radialTwins()[order[i]]];
      if (twin < 0 || !open.includes(object)) continue;
      const other = objectOf[triangleOf(twin)];
      if (open.includes(other)) sets.union(object, other);
    }
  }
}

/** body → the vertices of its edges with one of its triangles */
type OpenVertices = ReadonlyMap<number, ReadonlySet<number>>;

function findOpenEdges({ triangles, objectOf }: TaggedMesh, index: MeshIndex, sets: DisjointSets): OpenVertices {
  const { order, starts } = index.edges();
  const openVertices = new Map<number, Set<number>>();
  const counts = new Map<number, number>(); // body → its triangles at the edge
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const [first, end] = [starts[edge], starts[edge + 1]];
    if (end - first === 2) continue; // of one body by now
    counts.clear();
    for (let i = first; i < end; i++) {
      const body = sets.find(objectOf[triangleOf(order[i])]);
      counts.set(body, (counts.get(body) ?? 0) + 1);
    }
    for (const [body, count] of counts) {
      if (count !== 1) continue;
      const vertices = openVertices.get(body) ?? new Set();
      openVertices.set(body, vertices.add(triangles[order[first]]).add(triangles[nextOf(order[first])]));
    }
  }
  return openVertices;
}

/** Unites open bodies whose open vertices nearly match, as those of materials do if their corners were rounded. */
function uniteNearObjects({ positions }: TaggedMesh, openVertices: OpenVertices, sets: DisjointSets): void {
  if (openVertices.size < 2) return;
  const bodiesAt = new Map<number, number[]>(); // vertex → the bodies that are open there
  for (const [body, vertices] of openVertices)
    for (const vertex of vertices) bodiesAt.set(vertex, [...(bodiesAt.get(vertex) ?? []), body]);
  const toleranceMm = diagonalOf(computeBounds(positions)) * NEAR_FRACTION;
  const vertices = [...bodiesAt.keys()].sort((a, b) => a - b);
  const matching = new Map<string, Set<number>>(); // body, other body → the vertices of the first near the other
  const match = (vertex: number, near: number) => {
    for (const body of bodiesAt.get(vertex) ?? [])
      for (const other of bodiesAt.get(near) ?? [])
        if (other !== body) {
          const key = `${body},${other}`;
          matching.set(key, (matching.get(key) ?? new Set()).add(vertex));
        }
  };
  for (const vertex of vertices) match(vertex, vertex);
  for (const { a, b } of findNearPairs(positions, vertices, () => toleranceMm)) {
    match(a, b);
    match(b, a);
  }
  for (const [key, matched] of matching) {
    const [body, other] = key.split(',').map(Number);
    if (matched.size >= (openVertices.get(body)?.size ?? 0) * MIN_MATCHING_FRACTION) sets.union(body, other);
  }
}

/** Unites each closed body that faces inward with the smallest closed body around it that faces outward: it is a void. */
function uniteVoids(mesh: TaggedMesh, index: MeshIndex, openVertices: OpenVertices, sets: DisjointSets): void {
  const bodyOf = mesh.objectOf.map((object) => sets.find(object));
  const objectCount = mesh.objectOf.reduce((max, object) => Math.max(max, object), 0) + 1;
  const { volumeMm3 } = measureGroups(mesh, bodyOf, objectCount);
  if (!volumeMm3.some((volume, body) => volume < 0 && !openVertices.has(body))) return;
  const boxes = emptyBoxes(objectCount);
  const firstTriangleOf = new Int32Array(objectCount).fill(-1); // body → its first triangle
  for (let triangle = bodyOf.length - 1; triangle >= 0; triangle--) {
    const body = bodyOf[triangle];
    firstTriangleOf[body] = triangle;
    if (volumeMm3[body] > 0 && !openVertices.has(body))
      for (let k = 0; k < 3; k++) expandBox(boxes, body, mesh.positions, mesh.triangles[triangle * 3 + k]);
  }
  const visitContaining = createContainingBoxesQuery(boxes);
  const sidesOf = createSidesQuery(mesh);
  for (const [body, volume] of volumeMm3.entries()) {
    if (volume >= 0 || openVertices.has(body)) continue;
    const sides = sidesOf(firstTriangleOf[body]);
    if (!sides) continue;
    const toward = sides.normal.map((part, k) => RAY_TILTS[1][k] - part);
    const containing: number[] = [];
    visitContaining(sides.back, sides.back, (other) => {
      const isOfOther = (triangle: number) => bodyOf[triangle] === other;
      if (windingNumber(mesh, index.bvh(), sides.back, toward, isOfOther) > 0) containing.push(other);
    });
    if (containing.length === 0) continue;
    sets.union(
      body,
      containing.reduce((best, other) => (volumeMm3[other] < volumeMm3[best] ? other : best)),
    );
  }
}
