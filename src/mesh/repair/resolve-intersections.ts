import { measureGroups } from '../analysis/measure.js';
import { outerSurface } from '../arrangement/outer-surface.js';
import { pullApart } from '../arrangement/pull-apart.js';
import { counted } from '../counted.js';
import { markHit } from '../intersections/mark-hit.js';
import type { ReportWarning } from '../report.js';
import { farthestMove } from '../spatial/farthest-move.js';
import { findClosedTwins } from '../topology/closed-twins.js';
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
/** Shells this many times as thin as the amplitude are gaps and bubbles between surfaces that touched. */
const BUBBLE_FACTOR = 4;

/**
 * Makes one outer surface of what crosses, overlaps and lies within something else: the surface where the winding number goes from 0 to 1.
 * Closed meshes only. Several starts, each from the mesh as it came; the one with fewest intersecting triangles is kept, and only if that
 * is fewer than before and nothing of size was lost; else the mesh stays as it was, with a warning. `changed` counts triangles that no longer intersect.
 */
export const RESOLVE_INTERSECTIONS: RepairStep = { name: 'intersections', run: resolve };

function resolve(mesh: RepairMesh, diagonalMm: number): StepResult {
  if (!isWatertight(mesh)) return { mesh, changed: 0 };
  const isHit = markHit(mesh);
  const hitCount = isHit.reduce((sum, mark) => sum + mark, 0);
  let best: (Made & { left: number }) | undefined;
  for (const [seed, share] of AMPLITUDE_SHARES.entries()) {
    const amplitudeMm = share * diagonalMm;
    const made = start(mesh, isHit, amplitudeMm, seed + 1);
    if (made === undefined) continue;
    if (best === undefined || made.left < best.left) best = made;
    if (best.left === 0) break;
    if (hitCount === 0) break; // nothing is moved: all starts are the same
  }
  if (best === undefined || (hitCount > 0 && best.left >= hitCount)) {
    return { mesh, changed: 0, warnings: hitCount > 0 ? [unresolved(hitCount)] : [] };
  }
  const warnings = best.left > 0 ? [unresolved(best.left)] : [];
  const maxDisplacementMm = hitCount > 0 ? best.movedMm : 0;
  return { mesh: best.mesh, changed: hitCount - best.left, maxDisplacementMm, warnings };
}

function unresolved(count: number): ReportWarning {
  return {
    code: 'INTERSECTIONS_LEFT',
    message: `${counted(count, 'triangle still crosses', 'triangles still cross')} others: resolving them would have lost a part of the model, or needed too much work`,
  };
}

/** One start; nothing where it fails, or loses something of the model. What is folded out the wrong way is left out only if nothing is lost by it. */
function start(mesh: RepairMesh, isHit: Uint8Array, amplitudeMm: number, seed: number) {
  for (const keepsLobes of [false, true]) {
    const made = inPasses(mesh, isHit, amplitudeMm, seed, keepsLobes);
    if (made === undefined) return undefined;
    if (hasKeptAll(mesh, made.mesh, amplitudeMm)) return made;
  }
  return undefined;
}

/** One pass, and others over what it leaves. */
function inPasses(mesh: RepairMesh, isHit: Uint8Array, amplitudeMm: number, seed: number, keepsLobes: boolean) {
  let made = once(mesh, isHit, amplitudeMm, seed, keepsLobes);
  if (made === undefined) return undefined;
  let marks = markHit(made.mesh);
  let left = count(marks);
  for (let pass = 1; pass < MOST_PASSES && left > 0; pass++) {
    const next = once(made.mesh, marks, amplitudeMm * NEXT_SHARE ** pass, seed, keepsLobes);
    if (next === undefined) break;
    const nextMarks = markHit(next.mesh);
    const nextLeft = count(nextMarks);
    if (nextLeft >= left) break;
    made = { mesh: next.mesh, movedMm: made.movedMm + next.movedMm };
    marks = nextMarks;
    left = nextLeft;
  }
  return { ...made, left };
}

/** What a pass made, and how far it moved vertices at most. */
interface Made {
  mesh: RepairMesh;
  movedMm: number;
}

function once(
  mesh: RepairMesh,
  isHit: Uint8Array,
  amplitudeMm: number,
  seed: number,
  keepsLobes: boolean,
): Made | undefined {
  const surface = outerSurface(mesh, isHit, amplitudeMm, seed, keepsLobes);
  if (surface === undefined || surface.triangles.length === 0) return undefined;
  const { positions, triangles, parentOf } = surface;
  const outer: RepairMesh = { positions, triangles, objectOf: parentOf.map((parent) => mesh.objectOf[parent]) };
  const split = FLIP_FLAT.run(SPLIT_FANS.run(outer, 0).mesh, 0).mesh;
  const tidy = { ...split, positions: pullApart(split, amplitudeMm) };
  if (!isWatertight(tidy)) return undefined;
  if (!(volumeOf(tidy) > 0)) return undefined;
  const movedMm = amplitudeMm * Math.sqrt(3) + farthestMove(split.positions, tidy.positions);
  return { mesh: withoutBubbles(tidy, amplitudeMm * BUBBLE_FACTOR), movedMm };
}

const count = (marks: Uint8Array): number => marks.reduce((sum, mark) => sum + mark, 0);

const isWatertight = ({ positions, triangles }: RepairMesh): boolean =>
  triangles.length > 0 && findClosedTwins(triangles, positions.length / 3) !== undefined;

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
