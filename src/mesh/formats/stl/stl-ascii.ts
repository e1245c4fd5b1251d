import type { ReportWarning } from '../../analysis/report.js';
import type { IndexedMesh, ObjectRange, OnProgress } from '../../core/mesh.js';
import { Float64VertexTable } from '../../welding/float64-vertex-table.js';
import type { ParsedModel } from '../format.js';
import { isValidCoordinate } from '../reading/coordinate-range.js';
import { TextScanner } from '../text/text-scanner.js';
import { FastFacetReader } from './fast-facet-reader.js';
import { notFiniteWarning } from './stl-binary.js';

/** A typical size, for the initial capacity of the vertex table. */
const BYTES_PER_TRIANGLE = 200;
const LETTER_E = 0x65;
const LETTER_S = 0x73;
const LETTER_V = 0x76;

/**
 * Parses an ASCII STL. Recognizes only `solid`, `vertex`, `endloop` and `endsolid`, ignoring case and line ends, so
 * that missing or misspelled other keywords do no harm. Triangulates loops of more than three corners as fans. Several
 * `solid` sections become objects. Reads the complete facets of a truncated file.
 */
export function parseStlAscii(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const scanner = new TextScanner(bytes);
  const builder = new LoopMeshBuilder(bytes.length / BYTES_PER_TRIANGLE);
  const objects: ObjectRange[] = [];
  const point = new Float64Array(3);
  const fastReader = new FastFacetReader(scanner);
  let isEnded = false;
  let readCount = 0;
  for (;;) {
    while (!builder.isInLoop && fastReader.tryRead()) {
      builder.addFacet(fastReader);
      if ((++readCount & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
    }
    if (!scanner.seekWord()) break;
    const { initial } = scanner;
    if (initial === LETTER_V && scanner.acceptWord('vertex')) {
      scanner.takeNumbers(point);
      builder.addCorner(point);
      if ((++readCount & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
    } else if (initial === LETTER_E && scanner.acceptWord('endloop')) builder.endLoop();
    else if (initial === LETTER_S && scanner.acceptWord('solid')) {
      isEnded = false;
      objects.push({
        name: parseSolidName(scanner.restOfLine()),
        firstTriangle: builder.triangleCount,
        triangleCount: 0,
      });
    } else if (initial === LETTER_E && scanner.acceptWord('endsolid')) {
      isEnded = true;
      scanner.skipLine();
    } else scanner.skipWord();
  }
  const warnings: ReportWarning[] = [];
  if (builder.skippedCount > 0) warnings.push(notFiniteWarning(builder.skippedCount));
  if (!isEnded)
    warnings.push({ code: 'TRUNCATED', message: 'The file ends before endsolid; only complete facets were read.' });
  const mesh: IndexedMesh = builder.toMesh();
  const named = finishObjectRanges(objects, builder.triangleCount);
  if (named.length > 0) mesh.objects = named;
  return { mesh, warnings };
}

/** Welds the corners of loops while they are read, and triangulates loops as fans. */
class LoopMeshBuilder {
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
      if (vertices[k] >= 0 || isValidPoint(corners, k * 3)) continue;
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

  /** Ends the current loop and triangulates it. Skips it if a coordinate is invalid. */
  endLoop(): void {
    const length = this.#loopLength;
    this.#loopLength = 0;
    for (let i = 0; i < length; i++) {
      if (isValidCoordinate(this.#loop[i])) continue;
      this.skippedCount++;
      return;
    }
    if (length < 9) return;
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

/** Returns whether the three coordinates from `offset` on are valid. */
function isValidPoint(corners: Float64Array, offset: number): boolean {
  return (
    isValidCoordinate(corners[offset]) &&
    isValidCoordinate(corners[offset + 1]) &&
    isValidCoordinate(corners[offset + 2])
  );
}

/** Returns the name after `solid`, without a color or comment that some programs append after a semicolon. */
function parseSolidName(rest: string): string {
  return rest.split(/\s*;/)[0].trim();
}

/**
 * Sets the triangle counts of the sections. Returns those with triangles if there are several; a single one needs no
 * object.
 */
function finishObjectRanges(objects: ObjectRange[], triangleCount: number): ObjectRange[] {
  objects.forEach((object, index) => {
    object.triangleCount = (objects[index + 1]?.firstTriangle ?? triangleCount) - object.firstTriangle;
  });
  const filled = objects.filter((object) => object.triangleCount > 0);
  return filled.length > 1 ? filled : [];
}
