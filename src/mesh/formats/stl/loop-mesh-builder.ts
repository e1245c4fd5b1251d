import type { IndexedMesh } from '../../core/mesh.js';
import { Float64VertexTable } from '../../welding/float64-vertex-table.js';
import { isValidPoint } from '../reading/build-mesh-from-faces.js';
import { isValidCoordinate } from '../reading/coordinate-range.js';
import type { FastFacetReader } from './fast-facet-reader.js';

/** Welds the corners of loops while they are read, and triangulates loops as fans. */
export class LoopMeshBuilder {
  skippedCount = 0;
  readonly #points: Float64VertexTable;
  #triangles: Uint32Array<ArrayBuffer>; // triangle → its vertices; the rest is free
  #cornerCount = 0;
  #loop = new Float64Array(96); // x, y, z of each corner
  #loopLength = 0;

  constructor(expectedTriangles: number) {
    this.#points = new Float64VertexTable(expectedTriangles / 2);
    this.#triangles = new Uint32Array(Math.ceil(expectedTriangles + 1) * 3);
  }

  get triangleCount(): number {
    return this.#cornerCount / 3;
  }

  /** Whether corners were added since the last `endLoop`. */
  get isInLoop(): boolean {
    return this.#loopLength > 0;
  }

  /** Adds a facet, and completes its vertices. */
  addFacet({ vertices, corners }: FastFacetReader): void {
    for (let k = 0; k < 3; k++) {
      if (vertices[k] >= 0 || isValidPoint(corners, k)) continue;
      this.skippedCount++;
      return;
    }
    for (let k = 0; k < 3; k++) {
      if (vertices[k] < 0) vertices[k] = this.#points.add(corners[k * 3], corners[k * 3 + 1], corners[k * 3 + 2]);
    }
    this.#addTriangle(vertices[0], vertices[1], vertices[2]);
  }

  /** Adds a corner to the current loop. */
  addCorner(point: Float64Array): void {
    if (this.#loopLength === this.#loop.length) {
      const longer = new Float64Array(this.#loop.length * 2);
      longer.set(this.#loop);
      this.#loop = longer;
    }
    for (let k = 0; k < 3; k++) this.#loop[this.#loopLength++] = point[k];
  }

  /** Ends the current loop and triangulates it. Skips and counts it if a coordinate is invalid. */
  endLoop(): void {
    const length = this.#loopLength;
    this.#loopLength = 0;
    if (length < 9) return;
    for (let i = 0; i < length; i++) {
      if (isValidCoordinate(this.#loop[i])) continue;
      this.skippedCount++;
      return;
    }
    const first = this.#weldCorner(0);
    let last = this.#weldCorner(3);
    for (let k = 6; k < length; k += 3) {
      const next = this.#weldCorner(k);
      this.#addTriangle(first, last, next);
      last = next;
    }
  }

  toMesh(): IndexedMesh {
    return { positions: this.#points.toPositions(), triangles: this.#triangles.slice(0, this.#cornerCount) };
  }

  #addTriangle(a: number, b: number, c: number): void {
    if (this.#cornerCount === this.#triangles.length) {
      const triangles = new Uint32Array(this.#triangles.length * 2);
      triangles.set(this.#triangles);
      this.#triangles = triangles;
    }
    this.#triangles[this.#cornerCount++] = a;
    this.#triangles[this.#cornerCount++] = b;
    this.#triangles[this.#cornerCount++] = c;
  }

  #weldCorner(k: number): number {
    return this.#points.add(this.#loop[k], this.#loop[k + 1], this.#loop[k + 2]);
  }
}
