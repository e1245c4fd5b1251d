import { sideOfPlane, turnAlong } from './predicates.js';

/** How two triangles meet beyond what they share: not at all, in one plane with common area or edge, or otherwise. */
export type Meeting = 'none' | 'overlap' | 'cross';

/** Says how triangles s and t (numbers) meet. Exact: touching counts as meeting, sharing a vertex or an edge (by number) alone does not. */
export function meetingOf(p: Float64Array, triangles: Uint32Array, s: number, t: number): Meeting {
  const a = triangles[s * 3];
  const b = triangles[s * 3 + 1];
  const c = triangles[s * 3 + 2];
  const d = triangles[t * 3];
  const e = triangles[t * 3 + 1];
  const f = triangles[t * 3 + 2];
  const isA = a === d || a === e || a === f;
  const isB = b === d || b === e || b === f;
  const isC = c === d || c === e || c === f;
  const sharedCount = (isA ? 1 : 0) + (isB ? 1 : 0) + (isC ? 1 : 0);
  if (sharedCount === 0) return meetingOfStrangers(p, a, b, c, d, e, f);
  if (sharedCount === 3) return 'overlap';
  if (sharedCount === 2) {
    // Turn s so that the shared edge is x y and its own corner z.
    const [x, y, z] = !isA ? [b, c, a] : !isB ? [c, a, b] : [a, b, c];
    const other = d !== x && d !== y ? d : e !== x && e !== y ? e : f;
    return meetingAtEdge(p, x, y, z, other);
  }
  const [x, y, z] = isA ? [a, b, c] : isB ? [b, c, a] : [c, a, b];
  const [v, w] = d === x ? [e, f] : e === x ? [f, d] : [d, e];
  return meetingAtVertex(p, x, y, z, v, w);
}

function meetingAtEdge(p: Float64Array, x: number, y: number, own: number, other: number): Meeting {
  if (sideOfPlane(p, x, y, own, other) !== 0) return 'none';
  const axis = axisAcross(p, x, y, own);
  if (axis < 0) return 'none'; // without area: counted as degenerate, not as overlapping
  return turnAlong(axis, p, x, y, own) === turnAlong(axis, p, x, y, other) ? 'overlap' : 'none';
}

/** Triangles x y z and x v w. They meet beyond x exactly if the side across x of one touches the other. */
function meetingAtVertex(p: Float64Array, x: number, y: number, z: number, v: number, w: number): Meeting {
  const sideV = sideOfPlane(p, x, y, z, v);
  const sideW = sideOfPlane(p, x, y, z, w);
  if (sideV * sideW > 0) return 'none';
  if (sideV === 0 && sideW === 0) {
    const axis = axisAcross(p, x, y, z);
    if (axis < 0) return 'none';
    return segmentTouchesFlat(axis, p, v, w, x, y, z) || segmentTouchesFlat(axis, p, y, z, x, v, w)
      ? 'overlap'
      : 'none';
  }
  const sideY = sideOfPlane(p, x, v, w, y);
  const sideZ = sideOfPlane(p, x, v, w, z);
  if (sideY * sideZ > 0) return 'none';
  const isMet = segmentTouches(p, v, w, sideV, sideW, x, y, z) || segmentTouches(p, y, z, sideY, sideZ, x, v, w);
  return isMet ? 'cross' : 'none';
}

function meetingOfStrangers(
  p: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
  e: number,
  f: number,
): Meeting {
  const sideD = sideOfPlane(p, a, b, c, d);
  const sideE = sideOfPlane(p, a, b, c, e);
  if (sideD !== 0 && sideD === sideE && sideD === sideOfPlane(p, a, b, c, f)) return 'none';
  const sideF = sideOfPlane(p, a, b, c, f);
  if (sideD === 0 && sideE === 0 && sideF === 0) return meetingInPlane(p, a, b, c, d, e, f);
  const sideA = sideOfPlane(p, d, e, f, a);
  const sideB = sideOfPlane(p, d, e, f, b);
  const sideC = sideOfPlane(p, d, e, f, c);
  if (sideA !== 0 && sideA === sideB && sideA === sideC) return 'none';
  const isMet =
    segmentTouches(p, d, e, sideD, sideE, a, b, c) ||
    segmentTouches(p, e, f, sideE, sideF, a, b, c) ||
    segmentTouches(p, f, d, sideF, sideD, a, b, c) ||
    segmentTouches(p, a, b, sideA, sideB, d, e, f) ||
    segmentTouches(p, b, c, sideB, sideC, d, e, f) ||
    segmentTouches(p, c, a, sideC, sideA, d, e, f);
  return isMet ? 'cross' : 'none';
}

function meetingInPlane(p: Float64Array, a: number, b: number, c: number, d: number, e: number, f: number): Meeting {
  const axis = axisAcross(p, a, b, c);
  if (axis < 0) return 'none';
  const isMet =
    segmentTouchesFlat(axis, p, d, e, a, b, c) ||
    segmentTouchesFlat(axis, p, e, f, a, b, c) ||
    segmentTouchesFlat(axis, p, f, d, a, b, c) ||
    segmentTouchesFlat(axis, p, a, b, d, e, f);
  return isMet ? 'overlap' : 'none';
}

/** An axis along which the triangle is seen with area; -1 where it has none. */
function axisAcross(p: Float64Array, a: number, b: number, c: number): number {
  for (let axis = 0; axis < 3; axis++) if (turnAlong(axis, p, a, b, c) !== 0) return axis;
  return -1;
}

/** Whether the closed segment g h, whose ends lie on these sides of the plane a b c, has a point in the closed triangle. */
function segmentTouches(
  p: Float64Array,
  g: number,
  h: number,
  sideG: number,
  sideH: number,
  a: number,
  b: number,
  c: number,
): boolean {
  if (sideG * sideH > 0) return false;
  if (sideG === 0 && sideH === 0) {
    const axis = axisAcross(p, a, b, c);
    return axis >= 0 && segmentTouchesFlat(axis, p, g, h, a, b, c);
  }
  const ab = sideOfPlane(p, g, h, a, b);
  const bc = sideOfPlane(p, g, h, b, c);
  if (ab * bc < 0) return false;
  const ca = sideOfPlane(p, g, h, c, a);
  return ab * ca >= 0 && bc * ca >= 0;
}

/** The same for a segment in the plane of the triangle, both seen along an axis. */
function segmentTouchesFlat(
  axis: number,
  p: Float64Array,
  g: number,
  h: number,
  a: number,
  b: number,
  c: number,
): boolean {
  return (
    isInFlat(axis, p, g, a, b, c) ||
    isInFlat(axis, p, h, a, b, c) ||
    segmentsTouch(axis, p, g, h, a, b) ||
    segmentsTouch(axis, p, g, h, b, c) ||
    segmentsTouch(axis, p, g, h, c, a)
  );
}

function isInFlat(axis: number, p: Float64Array, g: number, a: number, b: number, c: number): boolean {
  const ab = turnAlong(axis, p, a, b, g);
  const bc = turnAlong(axis, p, b, c, g);
  const ca = turnAlong(axis, p, c, a, g);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

function segmentsTouch(axis: number, p: Float64Array, g: number, h: number, a: number, b: number): boolean {
  const ga = turnAlong(axis, p, g, h, a);
  const gb = turnAlong(axis, p, g, h, b);
  const ag = turnAlong(axis, p, a, b, g);
  const ah = turnAlong(axis, p, a, b, h);
  if (ga * gb < 0 && ag * ah < 0) return true;
  // Otherwise they touch only where an end of one lies on the other.
  return (
    (ga === 0 && isBetween(p, g, h, a)) ||
    (gb === 0 && isBetween(p, g, h, b)) ||
    (ag === 0 && isBetween(p, a, b, g)) ||
    (ah === 0 && isBetween(p, a, b, h))
  );
}

/** Whether a point on the line g h lies within the segment. */
function isBetween(p: Float64Array, g: number, h: number, a: number): boolean {
  for (let k = 0; k < 3; k++) {
    const x = p[a * 3 + k];
    if (x < Math.min(p[g * 3 + k], p[h * 3 + k]) || x > Math.max(p[g * 3 + k], p[h * 3 + k])) return false;
  }
  return true;
}
