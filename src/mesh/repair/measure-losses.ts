import type { MeshGeometry } from '../core/mesh.js';
import { createPrng } from '../core/prng.js';
import { diagonalOf } from '../geometry/bounds.js';
import { doubleAreaNormal } from '../geometry/double-area-normal.js';
import { boundsOfBvh } from '../spatial/bvh.js';
import { castSegment } from '../spatial/cast-ray.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import type { MeshIndex, MeshState } from '../spatial/mesh-index.js';
import { isBehindTriangle } from '../spatial/winding-number.js';
import { type ClosedBody, findBodies, listClosedBodies } from './closed-bodies.js';

/** A larger part of a body is a loss. */
const MAX_LOST_FRACTION = 0.005;
/** Rows through all bodies together, and through each at most and at least. */
const ROW_COUNT = 2048;
const MAX_ROWS_PER_BODY = 256;
const MIN_ROWS_PER_BODY = 8;
/** Rows that must agree on a loss: the order of the crossings of one that meets needles can be wrong. */
const MIN_LOSSY_ROWS = 3;
/** At most so many bodies are measured, the largest ones. */
const MAX_BODIES = 2000;
/** The climb of a row, as a fraction of the size of the body. */
const ROW_CLIMB_FRACTION = 1e-4;
/** Rounding errors, as a fraction of a row. */
const ROUNDING_FRACTION = 1e-9;

/** A closed body of which a part is missing in the result. */
export interface BodyLoss {
  /** A triangle of the body. */
  triangle: number;
  volumeMm3: number;
  lostFraction: number;
}

/** What the losses of a mesh are measured against. */
export interface LossQuery {
  result: MeshIndex;
  /** How far the surface may have moved. */
  maxDisplacementMm: number;
  /** Whether a body with these bounds became a void on purpose: min x, y, z, max x, y, z. */
  isVoid: (box: Float64Array) => boolean;
}

/**
 * Finds the closed bodies of a mesh of which more than 0.5 % is not inside the result, by comparing the winding numbers
 * of both along rows through each. Knows nothing of the steps in between, so that no error of theirs is hidden.
 *
 * Compares only what the file clearly means: points inside a body, by its own orientation, that are not in a cavity.
 * Skips open bodies and rows through them. The measure is an estimate; the rows are the same each time.
 */
export function measureLosses(
  { mesh, index: source }: MeshState,
  { result, maxDisplacementMm, isVoid }: LossQuery,
): BodyLoss[] {
  const bodies = findBodies(mesh, source);
  const closed = listClosedBodies(source, bodies);
  const voids = new Set(closed.filter(({ box }) => isVoid(box)).map(({ body }) => body));
  const measured = closed.filter(({ body }) => !voids.has(body)).slice(0, MAX_BODIES);
  const perBody = Math.floor(ROW_COUNT / measured.length);
  const rowCount = Math.max(MIN_ROWS_PER_BODY, Math.min(MAX_ROWS_PER_BODY, perBody));
  const castRow = createRowCast(source, result, bodies.shellOf, new Set(closed.map(({ body }) => body)));
  const distances = new DistanceQuery(result.mesh, result.bvh());
  const isOnSurface = ([x, y, z]: readonly number[]) => distances.isWithin(x, y, z, maxDisplacementMm);
  const random = createPrng(1);
  const losses: BodyLoss[] = [];
  for (const body of measured) {
    const sum = { insideMm: 0, lostMm: 0 };
    let lossyRowCount = 0;
    for (let row = 0; row < rowCount; row++) {
      const lostBeforeMm = sum.lostMm;
      addRow(sum, castRow(body, random), body, voids, isOnSurface);
      if (sum.lostMm > lostBeforeMm) lossyRowCount++;
    }
    const lostFraction = sum.lostMm / sum.insideMm;
    const volumeMm3 = Math.abs(body.volumeMm3);
    if (lostFraction > MAX_LOST_FRACTION && lossyRowCount >= MIN_LOSSY_ROWS)
      losses.push({ triangle: body.triangle, volumeMm3, lostFraction });
  }
  return losses;
}

/** Adds the lengths of a row inside a body, and those of it that are not inside the result. */
function addRow(
  sum: { insideMm: number; lostMm: number },
  { crossings, pointAt, minLengthMm }: Row,
  { body, volumeMm3 }: ClosedBody,
  voids: ReadonlySet<number>,
  isOnSurface: (point: readonly number[]) => boolean,
): void {
  const winding = { own: 0, total: 0, inVoid: 0, result: 0 };
  for (const [i, { atMm, step, body: crossed }] of crossings.entries()) {
    if (crossed === RESULT) winding.result += step;
    else winding.total += step;
    if (crossed === body) winding.own += step;
    if (voids.has(crossed)) winding.inVoid += step;
    const lengthMm = (crossings[i + 1]?.atMm ?? atMm) - atMm;
    if (lengthMm <= minLengthMm || winding.own * volumeMm3 <= 0 || winding.total === 0 || winding.inVoid !== 0)
      continue;
    sum.insideMm += lengthMm;
    if (winding.result <= 0 && !isOnSurface(pointAt(atMm + lengthMm / 2))) sum.lostMm += lengthMm;
  }
}

/** The entry of a crossing with the result, in place of a body. */
const RESULT = -1;

/** Where a row crosses a surface. */
interface Crossing {
  /** The distance along the row. */
  atMm: number;
  /** 1 if the row enters the surface, else -1. */
  step: number;
  /** The body of the source, or `RESULT`. */
  body: number;
}

/** A row through a body, almost along x. */
interface Row {
  crossings: Crossing[];
  /** Returns the point at a distance along x. */
  pointAt: (mm: number) => number[];
  /** Shorter lengths are rounding errors. */
  minLengthMm: number;
}

/**
 * Creates a function that casts a row through a body, at random, and finds where it crosses the closed bodies of the
 * source and the result, in order. Rows climb slightly, because models are aligned with the axes. No crossings are known
 * if a row hits an edge, or an open body.
 */
function createRowCast(
  source: MeshIndex,
  result: MeshIndex,
  bodyOf: Uint32Array,
  isClosed: ReadonlySet<number>,
): (body: ClosedBody, random: () => number) => Row {
  const [sourceBox, resultBox] = [boundsOfBvh(source.bvh()), boundsOfBvh(result.bvh())];
  const marginMm = diagonalOf(sourceBox) * 0.01;
  const minX = Math.min(sourceBox.min[0], resultBox.min[0]) - marginMm;
  const maxX = Math.max(sourceBox.max[0], resultBox.max[0]) + marginMm;
  const cast = (
    { mesh, bvh }: MeshIndex,
    from: Float64Array,
    to: Float64Array,
    bodyAt: (triangle: number) => number,
  ) => {
    const { hits, isUnambiguous } = castSegment(mesh, bvh(), from, to, () => true);
    if (!isUnambiguous) return undefined;
    return hits.map((triangle): Crossing => {
      const step = isBehindTriangle(mesh, triangle, from) ? -1 : 1;
      return { atMm: distanceTo(mesh, triangle, from), step, body: bodyAt(triangle) };
    });
  };
  return ({ box }, random) => {
    const place = (k: number) => box[k] + (box[k + 3] - box[k]) * random();
    const from = Float64Array.of(minX, place(1), place(2));
    const climb = (k: number) => (box[k + 3] - box[k]) * ROW_CLIMB_FRACTION;
    const to = Float64Array.of(maxX, from[1] + climb(1), from[2] + climb(2));
    const before = cast(source, from, to, (triangle) => bodyOf[triangle]);
    const after = cast(result, from, to, () => RESULT);
    const isKnown = before && after && before.every(({ body }) => isClosed.has(body));
    const crossings = isKnown ? [...before, ...after].sort((a, b) => a.atMm - b.atMm) : [];
    return {
      crossings,
      minLengthMm: (maxX - minX) * ROUNDING_FRACTION,
      pointAt: (mm) => Array.from(from, (start, k) => start + ((to[k] - start) * mm) / (maxX - minX)),
    };
  };
}

/** Computes how far along x a row from a point crosses the plane of a triangle. The row is almost parallel to x. */
function distanceTo({ positions, triangles }: MeshGeometry, triangle: number, from: Float64Array): number {
  const [nx, ny, nz] = doubleAreaNormal(positions, triangles, triangle);
  const corner = triangles[triangle * 3] * 3;
  const [x, y, z] = [0, 1, 2].map((k) => positions[corner + k] - from[k]);
  return x + (ny * y + nz * z) / nx;
}
