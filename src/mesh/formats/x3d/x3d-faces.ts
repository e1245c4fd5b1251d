import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { Faces } from '../reading/build-mesh-from-faces.js';
import { isDisabled, type X3dNode } from './x3d-node.js';

/** Returns the faces of an IndexedFaceSet: each ends with -1. */
export function facesOfFaceSet(node: X3dNode): Faces {
  const indices = node.numbers.get('coordIndex') ?? new Float64Array();
  const faces = new FaceList(node);
  visitIndexRuns(indices, (start, end) => {
    if (end > start) faces.addPolygon(indices, start, end);
  });
  return faces.toFaces();
}

/** Returns the faces of a TriangleSet or IndexedTriangleSet. */
export function facesOfTriangleSet(node: X3dNode): Faces {
  return facesOfEqualSize(node, 3);
}

/** Returns the faces of a QuadSet or IndexedQuadSet. */
export function facesOfQuadSet(node: X3dNode): Faces {
  return facesOfEqualSize(node, 4);
}

/** Returns the faces of a TriangleStripSet or IndexedTriangleStripSet. Every second triangle of a strip is reversed. */
export function facesOfStripSet(node: X3dNode): Faces {
  const indices = indicesOf(node);
  const faces = new FaceList(node);
  visitRuns(node, 'stripCount', indices, faces, (start, end) => {
    for (let i = start; i + 2 < end; i++) {
      const swap = (i - start) % 2;
      faces.addTriangle(indices[i + swap], indices[i + 1 - swap], indices[i + 2]);
    }
  });
  return faces.toFaces();
}

/** Returns the faces of a TriangleFanSet or IndexedTriangleFanSet. */
export function facesOfFanSet(node: X3dNode): Faces {
  const indices = indicesOf(node);
  const faces = new FaceList(node);
  visitRuns(node, 'fanCount', indices, faces, (start, end) => {
    for (let i = start + 1; i + 1 < end; i++) faces.addTriangle(indices[start], indices[i], indices[i + 1]);
  });
  return faces.toFaces();
}

function facesOfEqualSize(node: X3dNode, cornerCount: number): Faces {
  // Some programs separate the faces, as in an IndexedFaceSet.
  const indices = indicesOf(node).filter((index) => index !== -1);
  const faces = new FaceList(node);
  for (let start = 0; start + cornerCount <= indices.length; start += cornerCount)
    faces.addPolygon(indices, start, start + cornerCount);
  return faces.toFaces();
}

/** Returns the point indices of a set of triangles or quads: its own, or all in sequence. */
function indicesOf(node: X3dNode): Float64Array {
  if (node.type.startsWith('Indexed')) return node.numbers.get('index') ?? new Float64Array();
  return new Float64Array(pointsOf(node).length / 3).map((_, i) => i);
}

/** Returns the complete points of a node. */
function pointsOf({ children }: X3dNode): Float64Array {
  const points = children.find(({ type }) => /^Coordinate(Double)?$/.test(type))?.numbers.get('point');
  return points?.subarray(0, points.length - (points.length % 3)) ?? new Float64Array();
}

/** A strip, fan or face: where its indices begin and end. */
type Visit = (start: number, end: number) => void;

/** Visits the strips or fans of a node: indexed ones end with -1, others have the declared numbers of points. */
function visitRuns(node: X3dNode, countField: string, indices: Float64Array, faces: FaceList, visit: Visit): void {
  if (node.type.startsWith('Indexed')) visitIndexRuns(indices, visit);
  else visitCountedRuns(node.numbers.get(countField) ?? [], indices.length, faces, visit);
}

function visitIndexRuns(indices: Float64Array, visit: Visit): void {
  let start = 0;
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] !== -1) continue;
    visit(start, i);
    start = i + 1;
  }
  visit(start, indices.length);
}

/** Visits runs of the declared lengths. A run beyond the points is cut off, and counts as one invalid face. */
function visitCountedRuns(counts: ArrayLike<number>, total: number, faces: FaceList, visit: Visit): void {
  let start = 0;
  for (let i = 0; i < counts.length; i++) {
    const end = start + counts[i];
    if (!(counts[i] >= 0 && end <= total)) {
      faces.addInvalid();
      visit(start, total);
      return;
    }
    visit(start, end);
    start = end;
  }
}

/** Faces of a node, reversed if its `ccw` is FALSE. */
class FaceList {
  readonly #node: X3dNode;
  readonly #corners = new GrowableFloat64Array();
  readonly #faceStarts = new GrowableFloat64Array();
  readonly #isReversed: boolean;

  constructor(node: X3dNode) {
    this.#node = node;
    this.#isReversed = isDisabled(node, 'ccw');
  }

  addPolygon(indices: Float64Array, start: number, end: number): void {
    this.#faceStarts.push(this.#corners.length);
    for (let i = 0; i < end - start; i++) this.#corners.push(indices[this.#isReversed ? end - 1 - i : start + i]);
  }

  /** Adds a triangle of a strip or fan. Skips one with equal indices, by which strips turn or are joined. */
  addTriangle(a: number, b: number, c: number): void {
    if (a === b || b === c || a === c) return;
    this.#faceStarts.push(this.#corners.length);
    this.#corners.push(a);
    this.#corners.push(this.#isReversed ? c : b);
    this.#corners.push(this.#isReversed ? b : c);
  }

  /** Adds a face whose corner is missing. */
  addInvalid(): void {
    this.#faceStarts.push(this.#corners.length);
    this.#corners.push(Number.NaN);
  }

  toFaces(): Faces {
    return { points: pointsOf(this.#node), corners: this.#corners.values(), faceStarts: this.#faceStarts.values() };
  }
}
