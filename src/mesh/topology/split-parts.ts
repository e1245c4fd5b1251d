import type { IndexedMesh, MeshGeometry } from '../core/mesh.js';
import { DisjointSets } from './disjoint-sets.js';
import { buildEdges } from './edges.js';
import { triangleOf } from './half-edge.js';
import { toTaggedMesh } from './tagged-mesh.js';

/**
 * Splits a mesh into its parts, without common vertices. A part is a body: objects whose open edges match, such as the
 * faces of a box that a file groups by material, are one. Triangles of no object count as one object. Linear time.
 */
export function splitParts(mesh: IndexedMesh): MeshGeometry[] {
  const { positions, triangles, objectOf } = toTaggedMesh(mesh);
  const sets = uniteMatchingObjects(triangles, objectOf, positions.length / 3, (mesh.objects?.length ?? 0) + 1);
  const trianglesOf = new Map<number, number[]>();
  for (let triangle = 0; triangle < objectOf.length; triangle++) {
    const part = sets.find(objectOf[triangle]);
    const list = trianglesOf.get(part);
    if (list) list.push(triangle);
    else trianglesOf.set(part, [triangle]);
  }
  if (trianglesOf.size < 2) return [mesh];
  const newVertexOf = new Uint32Array(positions.length / 3);
  const partOf = new Int32Array(positions.length / 3).fill(-1);
  return [...trianglesOf.values()].map((list, part) => {
    const points: number[] = [];
    const corners = new Uint32Array(list.length * 3);
    for (let i = 0; i < corners.length; i++) {
      const vertex = triangles[list[triangleOf(i)] * 3 + (i % 3)];
      if (partOf[vertex] !== part) {
        partOf[vertex] = part;
        newVertexOf[vertex] = points.length / 3;
        points.push(positions[vertex * 3], positions[vertex * 3 + 1], positions[vertex * 3 + 2]);
      }
      corners[i] = newVertexOf[vertex];
    }
    return { positions: Float64Array.from(points), triangles: corners };
  });
}

/** Unites the objects that have open edges in the same places: an edge of one triangle of each. */
function uniteMatchingObjects(
  triangles: Uint32Array,
  objectOf: Uint32Array,
  vertexCount: number,
  objectCount: number,
): DisjointSets {
  const sets = new DisjointSets(objectCount);
  const { order, starts } = buildEdges(triangles, vertexCount);
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const [first, end] = [starts[edge], starts[edge + 1]];
    if (end - first === 2) {
      // Of one object or of two, and open in both of them.
      sets.union(objectOf[triangleOf(order[first])], objectOf[triangleOf(order[first + 1])]);
      continue;
    }
    const objects = [...order.subarray(first, end)].map((h) => objectOf[triangleOf(h)]);
    const open = objects.filter((object) => objects.indexOf(object) === objects.lastIndexOf(object));
    for (const object of open) sets.union(open[0], object);
  }
  return sets;
}
