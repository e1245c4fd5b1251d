import type { MeshGeometry } from '../core/mesh.js';
import { diagonalOf } from '../geometry/bounds.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { boundsOfBvh } from '../spatial/bvh.js';
import { castSegment } from '../spatial/cast-ray.js';
import type { MeshIndex } from '../spatial/mesh-index.js';
import { isBehindTriangle } from '../spatial/winding-number.js';
import type { ClosedBody } from './closed-bodies.js';

/** The climb of a row, as a fraction of the size of the body. */
const ROW_CLIMB_FRACTION = 1e-4;
/** Rounding errors, as a fraction of a row. */
const ROUNDING_FRACTION = 1e-9;

export type Axis = 0 | 1 | 2;
export const AXES: readonly Axis[] = [0, 1, 2];

/** The entry of a crossing with the result, in place of a body. */
export const RESULT = -1;

/** Where a row crosses a surface. */
export interface Crossing {
  /** The distance along the row. */
  atMm: number;
  /** 1 if the row enters the surface, else -1. */
  step: number;
  /** The body of the source, or `RESULT`. */
  body: number;
}

/** A row through a body, almost along an axis. */
export interface Row {
  crossings: Crossing[];
  /** Returns the point at a distance along the axis. */
  pointAt: (mm: number) => number[];
  /** Shorter lengths are rounding errors. */
  minLengthMm: number;
}

/**
 * Creates a function that casts a row through a body, at random, and finds where it crosses the closed bodies of the
 * source and the result, in order. Rows climb slightly, because models are aligned with the axes. No crossings are known
 * if a row hits an edge, or an open body.
 */
export function createRowCast(
  source: MeshIndex,
  result: MeshIndex,
  bodyOf: Uint32Array,
  isClosed: ReadonlySet<number>,
): (axis: Axis, body: Pick<ClosedBody, 'box' | 'body'>, random: () => number) => Row {
  const [sourceBox, resultBox] = [boundsOfBvh(source.bvh()), boundsOfBvh(result.bvh())];
  const marginMm = diagonalOf(sourceBox) * 0.01;
  const starts = AXES.map((axis) => Math.min(sourceBox.min[axis], resultBox.min[axis]) - marginMm);
  const ends = AXES.map((axis) => Math.max(sourceBox.max[axis], resultBox.max[axis]) + marginMm);
  const cast = (
    { mesh, bvh }: MeshIndex,
    axis: Axis,
    [from, to]: readonly Float64Array[],
    bodyAt: (triangle: number) => number,
  ) => {
    const { hits, isUnambiguous } = castSegment(mesh, bvh(), from, to, () => true);
    if (!isUnambiguous) return undefined;
    return hits.map((triangle): Crossing => {
      const step = isBehindTriangle(mesh, triangle, from) ? -1 : 1;
      return { atMm: distanceTo(mesh, triangle, from, axis), step, body: bodyAt(triangle) };
    });
  };
  return (axis, { box, body }, random) => {
    const [from, to] = [new Float64Array(3), new Float64Array(3)];
    [from[axis], to[axis]] = [starts[axis], ends[axis]];
    for (const k of [(axis + 1) % 3, (axis + 2) % 3]) {
      from[k] = box[k] + (box[k + 3] - box[k]) * random();
      to[k] = from[k] + (box[k + 3] - box[k]) * ROW_CLIMB_FRACTION;
    }
    const lengthMm = to[axis] - from[axis];
    const before = cast(source, axis, [from, to], (triangle) => bodyOf[triangle]);
    const after = cast(result, axis, [from, to], () => RESULT);
    const isKnown =
      before && after && before.every((crossing) => crossing.body === body || isClosed.has(crossing.body));
    const crossings = isKnown ? [...before, ...after].sort((a, b) => a.atMm - b.atMm) : [];
    return {
      crossings,
      minLengthMm: lengthMm * ROUNDING_FRACTION,
      pointAt: (mm) => Array.from(from, (start, k) => start + ((to[k] - start) * mm) / lengthMm),
    };
  };
}

/** Computes how far along an axis a row from a point crosses the plane of a triangle. The row is almost parallel to it. */
function distanceTo({ positions, triangles }: MeshGeometry, triangle: number, from: Float64Array, axis: Axis): number {
  const normal = doubleAreaNormal(positions, triangles, triangle);
  const corner = triangles[triangle * 3] * 3;
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const offset = (k: number) => positions[corner + k] - from[k];
  return offset(axis) + (normal[u] * offset(u) + normal[v] * offset(v)) / normal[axis];
}
