import type { IndexedMesh, ObjectRange } from '../core/mesh.js';

/** The whole mesh as a row of objects: the named ones, and what lies between them without a name. None is empty. */
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

/** The vertices that one part uses, numbered anew from 0 in the order of first use. Made once for a mesh, and asked for a part after the other. */
export class PartVertices {
  // vertex → its number in the part, and the part that this number is of
  readonly #indexOf: Uint32Array;
  readonly #partOf: Uint32Array;
  #part = 0;

  constructor(vertexCount: number) {
    this.#indexOf = new Uint32Array(vertexCount);
    this.#partOf = new Uint32Array(vertexCount);
  }

  /** The vertices of the part in their new order, and its corners by their new numbers. */
  of({ triangles }: IndexedMesh, part: ObjectRange): { vertices: Uint32Array; corners: Uint32Array } {
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
