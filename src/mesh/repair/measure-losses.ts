import { createPrng } from '../core/prng.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import type { MeshIndex, MeshState } from '../spatial/mesh-index.js';
import { type ClosedBody, findBodies, groupOpenBodies, listClosedBodies, markOpen } from './closed-bodies.js';
import { AXES, type Axis, createRowCast, RESULT, type Row } from './row-cast.js';

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
/** Rows through open bodies, as a fraction, on which their surface must enclose something, so that they are compared. */
const MIN_ENCLOSING_FRACTION = 0.9;
/** The same along each axis: below it, the surface is open on a whole side. */
const MIN_ENCLOSING_FRACTION_OF_AXIS = 0.25;

/** A body of which a part is missing in the result. */
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
 * Finds the bodies of a mesh of which more than 0.5 % is not inside the result, by comparing the winding numbers
 * of both along rows through each. Knows nothing of the steps in between, so that no error of theirs is hidden.
 *
 * Compares only what the file clearly means: points inside a body, by its own orientation, that are not in a cavity.
 * The open bodies of an object count as one, whose inside is where a row enters them and leaves them again. Rows along each
 * axis are cast through it, and those of an axis skipped if more than a tenth of them does not. The measure is an estimate;
 * the rows are the same each time.
 */
export function measureLosses(
  { mesh, index: source }: MeshState,
  { result, maxDisplacementMm, isVoid }: LossQuery,
): BodyLoss[] {
  const bodies = findBodies(mesh, source);
  const isOpenBody = markOpen(source, bodies);
  const closed = listClosedBodies(mesh, bodies, isOpenBody);
  const voids = new Set(closed.filter(({ box }) => isVoid(box)).map(({ body }) => body));
  const measured = closed.filter(({ body }) => !voids.has(body)).slice(0, MAX_BODIES);
  const { groups, bodyOf } = groupOpenBodies(mesh, bodies, isOpenBody);
  const perBody = Math.floor(ROW_COUNT / (measured.length + groups.length));
  const rowCount = Math.max(MIN_ROWS_PER_BODY, Math.min(MAX_ROWS_PER_BODY, perBody));
  const castRow = createRowCast(source, result, bodyOf, new Set(closed.map(({ body }) => body)));
  const distances = new DistanceQuery(result.mesh, result.bvh());
  const isOnSurface = ([x, y, z]: readonly number[]) => distances.isWithin(x, y, z, maxDisplacementMm);
  const random = createPrng(1);
  const measureAlong = (axis: Axis, body: ClosedBody, count: number): Measure => {
    const rows = Array.from({ length: count }, () => castRow(axis, body, random));
    return measureRows(rows, body, voids, isOnSurface);
  };
  return [...measured, ...groups.slice(0, MAX_BODIES)].flatMap((body) => {
    const isOpen = body.volumeMm3 === 0;
    const axes = isOpen ? AXES : ([0] as const);
    const measures = axes.map((axis) => measureAlong(axis, body, Math.ceil(rowCount / axes.length)));
    if (isOpen && measures.some(({ enclosingFraction }) => enclosingFraction < MIN_ENCLOSING_FRACTION_OF_AXIS))
      return [];
    const sum = (read: (measure: Measure) => number) => measures.reduce((total, measure) => total + read(measure), 0);
    const lostFraction = sum(({ lostMm }) => lostMm) / sum(({ insideMm }) => insideMm);
    if (!(lostFraction > MAX_LOST_FRACTION) || sum(({ lossyRows }) => lossyRows) < MIN_LOSSY_ROWS) return [];
    const estimates = measures.map(({ insideMm, rowCount: rows }, axis) => (insideMm / rows) * areaAcross(body, axis));
    const volumeMm3 = isOpen ? Math.max(...estimates) : Math.abs(body.volumeMm3);
    return [{ triangle: body.triangle, volumeMm3, lostFraction }];
  });
}

/** What rows through a body along an axis say. */
interface Measure {
  rowCount: number;
  /** The part of the rows that meet the body on which it encloses something. */
  enclosingFraction: number;
  insideMm: number;
  lostMm: number;
  /** The rows with a loss. */
  lossyRows: number;
}

/** Measures rows through a body; no length if it is open, and too many of them do not tell what is inside it. */
function measureRows(
  rows: readonly Row[],
  body: ClosedBody,
  voids: ReadonlySet<number>,
  isOnSurface: (point: readonly number[]) => boolean,
): Measure {
  const meeting = rows.filter(({ crossings }) => crossings.some((crossing) => crossing.body === body.body));
  const enclosing = body.volumeMm3 === 0 ? meeting.filter((row) => isEnclosed(row, body)) : meeting;
  const enclosingFraction = enclosing.length / Math.max(1, meeting.length);
  const sum = { rowCount: rows.length, enclosingFraction, insideMm: 0, lostMm: 0, lossyRows: 0 };
  if (enclosingFraction < MIN_ENCLOSING_FRACTION) return sum;
  for (const row of enclosing) {
    const lostBeforeMm = sum.lostMm;
    addRow(sum, row, body, voids, isOnSurface);
    if (sum.lostMm > lostBeforeMm) sum.lossyRows++;
  }
  return sum;
}

/** Returns whether a row enters an open surface and leaves it again, always in this order or always in the other one. */
function isEnclosed({ crossings, minLengthMm }: Row, { body }: ClosedBody): boolean {
  const own = crossings.filter((crossing) => crossing.body === body);
  let [winding, min, max] = [0, 0, 0];
  for (const [i, { atMm, step }] of own.entries()) {
    winding += step;
    const lengthMm = (own[i + 1]?.atMm ?? Number.POSITIVE_INFINITY) - atMm;
    if (lengthMm <= minLengthMm) continue; // two faces that touch
    [min, max] = [Math.min(min, winding), Math.max(max, winding)];
  }
  return winding === 0 && max - min === 1;
}

/** Returns the area of the box of a body across an axis. */
function areaAcross({ box }: ClosedBody, axis: number): number {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  return (box[u + 3] - box[u]) * (box[v + 3] - box[v]);
}

/** Adds the lengths of a row inside a body, and those of it that are not inside the result. */
function addRow(
  sum: { insideMm: number; lostMm: number },
  { crossings, pointAt, minLengthMm }: Row,
  { body, volumeMm3 }: ClosedBody,
  voids: ReadonlySet<number>,
  isOnSurface: (point: readonly number[]) => boolean,
): void {
  const windings = new Map<number, number>(); // body → its winding number
  // In the total, a body that crosses itself counts once: a void in it is one, even where it encloses the void twice.
  const winding = { own: 0, total: 0, inVoid: 0, result: 0 };
  for (const [i, { atMm, step, body: crossed }] of crossings.entries()) {
    if (crossed === RESULT) winding.result += step;
    else {
      const before = windings.get(crossed) ?? 0;
      windings.set(crossed, before + step);
      winding.total += clampToOne(before + step) - clampToOne(before);
    }
    if (crossed === body) winding.own += step;
    if (voids.has(crossed)) winding.inVoid += step;
    const lengthMm = (crossings[i + 1]?.atMm ?? atMm) - atMm;
    const isInside = volumeMm3 === 0 ? winding.own !== 0 : winding.own * volumeMm3 > 0;
    if (lengthMm <= minLengthMm || !isInside || winding.total === 0 || winding.inVoid !== 0) continue;
    sum.insideMm += lengthMm;
    if (winding.result <= 0 && !isOnSurface(pointAt(atMm + lengthMm / 2))) sum.lostMm += lengthMm;
  }
}

function clampToOne(winding: number): number {
  return Math.max(-1, Math.min(1, winding));
}
