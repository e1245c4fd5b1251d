import { measureGroups } from '../analysis/measure.js';
import { computeSelfUnion } from '../arrangement/outer-surface.js';
import { separateCoincidentVertices } from '../arrangement/pull-apart.js';
import { pluralize } from '../counted.js';
import { markIntersectingOrDegenerate } from '../intersections/mark-hit.js';
import type { ReportWarning } from '../report.js';
import { maxDisplacement } from '../spatial/farthest-move.js';
import { isClosedSurface } from '../topology/closed-twins.js';
import { buildEdges } from '../topology/edges.js';
import { findShells } from '../topology/shells.js';
import { FLIP_FLAT } from './flip-flat.js';
import { hasKeptAll } from './has-kept-all.js';
import { SPLIT_FANS } from './split-fans.js';
import { type RepairMesh, type RepairStep, type StepResult, withTriangles } from './step.js';

/** How far vertices of intersecting triangles are moved, as shares of the diagonal; each is a fresh start. */
const AMPLITUDE_SHARES = [1e-6, 3e-6, 1e-5, 3e-7, 3e-5, 1e-7];
/** What a pass leaves is resolved by another, with this share of its amplitude, as long as each leaves less. */
const NEXT_SHARE = 0.3;
const MOST_PASSES = 5;
/** What is left out at first, and not where the model would lose something by it. */
const WAYS: readonly Way[] = [
  { keepsLobes: false, keepsBubbles: false },
  { keepsLobes: true, keepsBubbles: false },
  { keepsLobes: true, keepsBubbles: true },
];
/** Where so many starts would have lost something whatever is kept, others would too. */
const MOST_LOSSY_STARTS = 2;
/** Shells this many times as thin as the amplitude are gaps and bubbles between surfaces that touched. */
const BUBBLE_FACTOR = 4;

/** The code of the warning that something crosses still. */
export const INTERSECTIONS_LEFT = 'INTERSECTIONS_LEFT';

interface Way {
  /** Parts that the surface goes round the wrong way are turned and stay, however small. */
  keepsLobes: boolean;
  /** So do shells hardly thicker than vertices are moved: walls that a file holds as sheets. */
  keepsBubbles: boolean;
}

/** How far vertices are moved along each axis, and by which numbers. */
interface Movement {
  amplitudeMm: number;
  seed: number;
}

/** What a pass made, and how far it moved vertices at most. */
interface Made {
  mesh: RepairMesh;
  movedMm: number;
}

interface Resolved extends Made {
  /** Triangles that still intersect. */
  left: number;
}

/**
 * Makes one outer surface of what crosses, overlaps and lies within something else: the surface where the winding number goes from 0 to 1.
 * Closed meshes only. Several starts, each from the mesh as it came; the one with fewest intersecting triangles is kept, and only if that
 * is fewer than before and nothing of size was lost; else the mesh stays as it was, with a warning. `changed` counts triangles that no longer intersect.
 */
export const RESOLVE_INTERSECTIONS: RepairStep = { name: 'intersections', run: resolve };

function resolve(mesh: RepairMesh, diagonalMm: number): StepResult {
  if (!isWatertight(mesh)) return { mesh, changed: 0 };
  const isHit = markIntersectingOrDegenerate(mesh);
  const hitCount = count(isHit);
  const best = bestStart(mesh, isHit, diagonalMm, hitCount);
  if (best === undefined || (hitCount > 0 && best.left >= hitCount)) {
    return { mesh, changed: 0, warnings: hitCount > 0 ? [unresolved(hitCount)] : [] };
  }
  const warnings = best.left > 0 ? [unresolved(best.left)] : [];
  const maxDisplacementMm = hitCount > 0 ? best.movedMm : 0;
  return { mesh: best.mesh, changed: hitCount - best.left, maxDisplacementMm, warnings };
}

/** The start that leaves the fewest intersecting triangles, of those that lose nothing. */
function bestStart(mesh: RepairMesh, isHit: Uint8Array, diagonalMm: number, hitCount: number): Resolved | undefined {
  let best: Resolved | undefined;
  let lossyCount = 0;
  for (const [seed, share] of AMPLITUDE_SHARES.entries()) {
    const made = start(mesh, isHit, { amplitudeMm: share * diagonalMm, seed: seed + 1 });
    if (made === 'lossy' && ++lossyCount === MOST_LOSSY_STARTS) break;
    if (made === undefined || made === 'lossy') continue;
    if (best === undefined || made.left < best.left) best = made;
    if (best.left === 0) break;
    if (hitCount === 0) break; // nothing is moved: all starts are the same
  }
  return best;
}

function unresolved(count: number): ReportWarning {
  return {
    code: INTERSECTIONS_LEFT,
    message: `${pluralize(count, 'triangle still crosses', 'triangles still cross')} others: resolving them would have lost a part of the model, or needed too much work`,
  };
}

/** One start. `undefined` where it fails; `lossy` where it would lose something of the model, whatever is kept. */
function start(mesh: RepairMesh, isHit: Uint8Array, movement: Movement): Resolved | 'lossy' | undefined {
  for (const way of WAYS) {
    const made = inPasses(mesh, isHit, movement, way);
    if (made === undefined) return undefined;
    if (hasKeptAll(mesh, made.mesh, movement.amplitudeMm)) return made;
  }
  return 'lossy';
}

/** One pass, and others over what it leaves. */
function inPasses(mesh: RepairMesh, isHit: Uint8Array, movement: Movement, way: Way): Resolved | undefined {
  let made = once(mesh, isHit, movement, way);
  if (made === undefined) return undefined;
  let marks = markIntersectingOrDegenerate(made.mesh);
  let left = count(marks);
  for (let pass = 1; pass < MOST_PASSES && left > 0; pass++) {
    const amplitudeMm = movement.amplitudeMm * NEXT_SHARE ** pass;
    const next = once(made.mesh, marks, { ...movement, amplitudeMm }, way);
    if (next === undefined) break;
    const nextMarks = markIntersectingOrDegenerate(next.mesh);
    const nextLeft = count(nextMarks);
    if (nextLeft >= left) break;
    made = { mesh: next.mesh, movedMm: made.movedMm + next.movedMm };
    marks = nextMarks;
    left = nextLeft;
  }
  return { ...made, left };
}

function once(mesh: RepairMesh, isHit: Uint8Array, { amplitudeMm, seed }: Movement, way: Way): Made | undefined {
  const surface = computeSelfUnion(mesh, isHit, amplitudeMm, seed, way.keepsLobes);
  if (surface === undefined || surface.triangles.length === 0) return undefined;
  const { positions, triangles, parentOf } = surface;
  const outer: RepairMesh = { positions, triangles, objectOf: parentOf.map((parent) => mesh.objectOf[parent]) };
  const split = FLIP_FLAT.run(SPLIT_FANS.run(outer, 0).mesh, 0).mesh;
  const tidy = { ...split, positions: separateCoincidentVertices(split, amplitudeMm) };
  if (!isWatertight(tidy)) return undefined;
  if (!(volumeOf(tidy) > 0)) return undefined;
  const body = withoutBubbles(tidy, amplitudeMm * BUBBLE_FACTOR);
  if (body.triangles.length === 0) return undefined;
  const movedMm = amplitudeMm * Math.sqrt(3) + maxDisplacement(split.positions, tidy.positions);
  return { mesh: way.keepsBubbles ? tidy : body, movedMm };
}

const count = (marks: Uint8Array): number => marks.reduce((sum, mark) => sum + mark, 0);

const isWatertight = ({ positions, triangles }: RepairMesh): boolean =>
  isClosedSurface(triangles, positions.length / 3);

function volumeOf(mesh: RepairMesh): number {
  return measureGroups(mesh, new Uint32Array(mesh.triangles.length / 3), 1).volumeMm3[0];
}

/** Leaves out closed shells thinner than this on average. */
function withoutBubbles(mesh: RepairMesh, thicknessMm: number): RepairMesh {
  const { positions, triangles } = mesh;
  const shells = findShells(triangles.length / 3, buildEdges(triangles, positions.length / 3));
  const { areaMm2, volumeMm3 } = measureGroups(mesh, shells.shellOf, shells.count);
  const isBubble = Array.from(areaMm2, (area, shell) => Math.abs(volumeMm3[shell]) < (area / 2) * thicknessMm);
  const kept: number[] = [];
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++)
    if (!isBubble[shells.shellOf[triangle]]) kept.push(triangle);
  return kept.length === shells.shellOf.length ? mesh : withTriangles(mesh, kept);
}
