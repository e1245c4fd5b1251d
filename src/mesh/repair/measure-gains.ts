import { createPrng } from '../core/prng.js';
import { boundsOfBvh } from '../spatial/bvh.js';
import { DistanceQuery } from '../spatial/distance-query.js';
import type { MeshIndex, MeshState } from '../spatial/mesh-index.js';
import { findBodies, listClosedBodies, markOpen } from './closed-bodies.js';
import { AXES, type Crossing, createRowCast, RESULT, type Row } from './row-cast.js';

/** A larger part of the result is a gain. */
const MAX_GAINED_FRACTION = 0.005;
/** The winding is meaningless if a larger part of the inside has a negative winding number. */
const MAX_NEGATIVE_FRACTION = 0.005;
const ROWS_PER_AXIS = 256;
/** Rows that must agree on a gain: the order of the crossings of one that meets needles can be wrong. */
const MIN_GAINING_ROWS = 3;
/** The entry of rows in place of a body: they are cast through all. */
const NO_BODY = -2;

/** What the gains of a result are measured with. */
export interface GainQuery {
  result: MeshIndex;
  /** How far the surface may have moved. */
  maxDisplacementMm: number;
  /** Whether a point was outside of the bodies and inside of the result on purpose. */
  isFilledOnPurpose: (point: readonly number[]) => boolean;
}

/**
 * Estimates the fraction of a result that the closed bodies of a mesh do not enclose, by rows along each axis. Returns 0 if it
 * is less than 0.5 %. Like `measureLosses`, it knows nothing of the steps in between.
 *
 * A point is outside if the winding number is 0. If the winding is meaningless, it must be outside of each body, too. Rows with
 * two opposite crossings at one place are left out: there, bodies touch, or a body is drawn from both sides. A mesh with open
 * bodies has no inside that could be compared.
 */
export function measureGains(
  { mesh, index: source }: MeshState,
  { result, maxDisplacementMm, isFilledOnPurpose }: GainQuery,
): number {
  const bodies = findBodies(mesh, source);
  const isOpen = markOpen(source, bodies);
  if (isOpen.includes(1)) return 0;
  const closed = new Set(listClosedBodies(mesh, bodies, isOpen).map(({ body }) => body));
  const castRow = createRowCast(source, result, bodies.shellOf, closed);
  const distances = new DistanceQuery(result.mesh, result.bvh());
  const isExplained = (point: readonly number[]) =>
    distances.isWithin(point[0], point[1], point[2], maxDisplacementMm) || isFilledOnPurpose(point);
  const { min, max } = boundsOfBvh(result.bvh());
  const box = Float64Array.from([...min, ...max]);
  const random = createPrng(1);
  const sum: Lengths = { insideMm: 0, negativeMm: 0, inCavityMm: 0, outsideMm: 0, gainingRows: 0 };
  for (const axis of AXES)
    for (let i = 0; i < ROWS_PER_AXIS; i++) addRow(sum, castRow(axis, { box, body: NO_BODY }, random), isExplained);
  const isMeaningful = sum.negativeMm <= sum.insideMm * MAX_NEGATIVE_FRACTION;
  const gainedFraction = (sum.outsideMm + (isMeaningful ? sum.inCavityMm : 0)) / sum.insideMm;
  if (!(gainedFraction > MAX_GAINED_FRACTION) || sum.gainingRows < MIN_GAINING_ROWS) return 0;
  return gainedFraction;
}

/** Lengths of rows inside the result. */
interface Lengths {
  insideMm: number;
  /** Where the winding number of the mesh is negative. */
  negativeMm: number;
  /** Outside of the mesh by its winding number, but inside of a body: in a cavity. */
  inCavityMm: number;
  /** Outside of all bodies. */
  outsideMm: number;
  gainingRows: number;
}

/** Adds the lengths of a row. */
function addRow(
  sum: Lengths,
  { crossings, pointAt, minLengthMm }: Row,
  isExplained: (point: readonly number[]) => boolean,
): void {
  if (hasOppositePair(crossings, minLengthMm)) return;
  const windings = new Map<number, number>(); // body → its winding number
  let [result, total, gainedMm] = [0, 0, 0];
  for (const [i, { atMm, step, body }] of crossings.entries()) {
    if (body === RESULT) result += step;
    else {
      total += step;
      windings.set(body, (windings.get(body) ?? 0) + step);
    }
    const lengthMm = (crossings[i + 1]?.atMm ?? atMm) - atMm;
    if (lengthMm <= minLengthMm || result <= 0) continue;
    sum.insideMm += lengthMm;
    if (total < 0) sum.negativeMm += lengthMm;
    if (total !== 0 || isExplained(pointAt(atMm + lengthMm / 2))) continue;
    const isInCavity = [...windings.values()].some((winding) => winding !== 0);
    sum[isInCavity ? 'inCavityMm' : 'outsideMm'] += lengthMm;
    gainedMm += lengthMm;
  }
  if (gainedMm > 0) sum.gainingRows++;
}

/** Returns whether a row enters and leaves the mesh at one place. */
function hasOppositePair(crossings: readonly Crossing[], minLengthMm: number): boolean {
  const own = crossings.filter(({ body }) => body !== RESULT);
  return own.some(({ atMm, step }, i) => {
    const next = own[i + 1];
    return next !== undefined && next.step !== step && next.atMm - atMm <= minLengthMm;
  });
}
