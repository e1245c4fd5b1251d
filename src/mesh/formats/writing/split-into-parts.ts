import type { IndexedMesh, ObjectRange } from '../../core/mesh.js';

/**
 * Returns consecutive object ranges that cover the mesh: the named objects, and unnamed ranges between them. None is
 * empty.
 */
export function splitIntoParts({ triangles, objects = [] }: IndexedMesh): ObjectRange[] {
  const parts: ObjectRange[] = [];
  let next = 0;
  const fillTo = (end: number): void => {
    if (end > next) parts.push({ name: '', firstTriangle: next, triangleCount: end - next });
    next = end;
  };
  for (const object of objects) {
    if (object.triangleCount === 0) continue;
    fillTo(object.firstTriangle);
    parts.push(object);
    next = object.firstTriangle + object.triangleCount;
  }
  fillTo(triangles.length / 3);
  return parts;
}

/**
 * Renumbers the vertices of one part at a time, from 0 in order of first use. One instance serves all parts of a mesh
 * without clearing its tables.
 */
export class PartVertices {
  /** vertex → its index in the part `#partOf[vertex]` */
  readonly #indexOf: Uint32Array;
  /** vertex → the last part that used it, counted from 1 */
  readonly #partOf: Uint32Array;
  #part = 0;

  constructor(vertexCount: number) {
    this.#indexOf = new Uint32Array(vertexCount);
    this.#partOf = new Uint32Array(vertexCount);
  }

  /** Returns the vertices of the part in their new order, and its corners as new indices. */
  renumber({ triangles }: IndexedMesh, part: ObjectRange): { vertices: Uint32Array; corners: Uint32Array } {
    this.#part++;
    const corners = new Uint32Array(part.triangleCount * 3);
    const vertices = new Uint32Array(Math.min(corners.length, this.#indexOf.length));
    let count = 0;
    for (let i = 0; i < corners.length; i++) {
      const vertex = triangles[part.firstTriangle * 3 + i];
      if (this.#partOf[vertex] !== this.#part) {
        this.#partOf[vertex] = this.#part;
        this.#indexOf[vertex] = count;
        vertices[count++] = vertex;
      }
      corners[i] = this.#indexOf[vertex];
    }
    return { vertices: vertices.subarray(0, count), corners };
  }
}
