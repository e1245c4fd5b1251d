import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import { triangleOf } from '../topology/half-edge.js';
import { toTaggedMesh } from '../topology/tagged-mesh.js';
import { groupObjects } from './group-objects.js';

/** A part of a mesh, with its objects. It shares no vertices with others. */
export interface MeshPart extends IndexedMesh {
  /** vertex → the same vertex of the whole mesh */
  vertexOf: Uint32Array;
}

/**
 * Splits a mesh into its parts, in the order of their first triangles. A part is a body: objects whose open edges match,
 * such as the faces of a box that a file groups by material, are one, and so are a void that is an object of its own and
 * the object around it. Triangles of no object count as one object. The second argument is the result of `findParts`, if
 * it is known.
 */
export function splitParts(mesh: IndexedMesh, { partOf, count }: FoundParts = findParts(mesh)): MeshPart[] {
  const { positions, triangles, objectOf } = toTaggedMesh(mesh);
  const trianglesOf = Array.from({ length: count }, (): number[] => []);
  for (let triangle = 0; triangle < objectOf.length; triangle++) trianglesOf[partOf[objectOf[triangle]]].push(triangle);
  const newVertexOf = new Uint32Array(positions.length / 3);
  const lastPartOf = new Int32Array(positions.length / 3).fill(-1); // vertex → the last part that used it
  return trianglesOf.map((list, index) => {
    const vertices: number[] = [];
    const corners = new Uint32Array(list.length * 3);
    for (let i = 0; i < corners.length; i++) {
      const vertex = triangles[list[triangleOf(i)] * 3 + (i % 3)];
      if (lastPartOf[vertex] !== index) {
        lastPartOf[vertex] = index;
        newVertexOf[vertex] = vertices.length;
        vertices.push(vertex);
      }
      corners[i] = newVertexOf[vertex];
    }
    const part = { positions: selectPositions(positions, vertices), triangles: corners };
    return { ...part, ...selectObjects(list, objectOf, mesh), vertexOf: Uint32Array.from(vertices) };
  });
}

/** Returns the objects of the triangles in `list`, which are in the order of the mesh. */
function selectObjects(
  list: readonly number[],
  objectOf: Uint32Array,
  { objects = [] }: IndexedMesh,
): { objects?: ObjectRange[] } {
  const selected: ObjectRange[] = [];
  let last = 0; // the object of the triangle before
  for (const [index, triangle] of list.entries()) {
    const object = objectOf[triangle];
    if (object > 0 && object !== last)
      selected.push({ ...objects[object - 1], firstTriangle: index, triangleCount: 0 });
    if (object > 0) selected[selected.length - 1].triangleCount++;
    last = object;
  }
  return selected.length > 0 ? { objects: selected } : {};
}

function selectPositions(positions: Float64Array, vertices: readonly number[]): Float64Array {
  const selected = new Float64Array(vertices.length * 3);
  for (const [i, vertex] of vertices.entries()) selected.set(positions.subarray(vertex * 3, vertex * 3 + 3), i * 3);
  return selected;
}

/** The parts of a mesh. */
interface FoundParts {
  /** object + 1 → part, where 0 is for triangles of no object */
  partOf: Int32Array;
  count: number;
}

/** Finds the part of each object. See `splitParts`. */
export function findParts(mesh: IndexedMesh): FoundParts {
  const { objectOf } = toTaggedMesh(mesh);
  const representativeOf = groupObjects(mesh);
  const partOf = new Int32Array(representativeOf.length).fill(-1);
  let count = 0;
  for (const object of objectOf) {
    const first = representativeOf[object];
    if (partOf[first] < 0) partOf[first] = count++;
    partOf[object] = partOf[first];
  }
  return { partOf, count };
}

/** Returns the name of a part: that of its first object that has one, else its number. `index`: counts from 0. */
export function namePart({ objects = [] }: IndexedMesh, index: number): string {
  return objects.find(({ name }) => name !== '')?.name ?? `part ${index + 1}`;
}
