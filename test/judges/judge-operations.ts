import type { Judgment } from '../../bench/judge/judge.js';
import { analyzeWithPlaces } from '../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { computeBounds, diagonalOf } from '../../src/mesh/geometry/bounds.js';
import { type HollowDirection, type HollowResult, hollow } from '../../src/mesh/hollow/hollow.js';
import { selectOutermostShells } from '../../src/mesh/hollow/outermost-shells.js';
import { reduceSolid, reduceTriangles } from '../../src/mesh/reduce/reduce-triangles.js';
import { closeMesh } from '../../src/mesh/repair/close-mesh.js';
import { shrinkwrap } from '../../src/mesh/shrinkwrap/shrinkwrap.js';
import { genusOf, type MeshJudge } from './mesh-judge.js';

/** What CGAL finds in the result of an operation: the promises that it breaks, and figures. */
export interface OperationJudgment {
  brokenPromises: string[];
  figures: Record<string, number>;
}

const WALL_FRACTION = 0.02;
const HOLES = { countPerCavity: 3, upAxis: 'z' } as const;
const HOLE_FRACTION = 0.03;
const ACCURACY_FRACTION = 1e-3;
/**
 * A reduction measures distances at the vertices of both surfaces and at points between them, up to 4 times the accuracy
 * apart: there they are at most the accuracy. Between these points they may be larger: up to 1.18 times as large in the
 * models measured so far.
 */
const MAX_ACCURACIES_BETWEEN = 1.25;
/** Cubes of a wrap with the accuracy `Rough` along the diagonal. */
const WRAP_CUBES = 64;
/** The limit of the distance of a wrap from the closed surface. */
const MAX_CUBES_AWAY = 3;
/** Rounding errors of distances, and of the volumes of shells that are small and far from the others. */
const ROUNDING = 1e-9;
const VOLUME_ROUNDING = 1e-6;

/** Whether a promise is kept, and the text if it is not. */
type Promised = [isKept: boolean, text: string];

/** Lists the texts of the promises that are not kept. */
function listBroken(promises: readonly Promised[]): string[] {
  return promises.filter(([isKept]) => !isKept).map(([, text]) => text);
}

/** Hollows a solid with walls of 2 % of its diagonal. Returns `undefined` if no cavity remains. */
function tryHollow(solid: IndexedMesh, direction: HollowDirection, hasHoles: boolean): HollowResult | undefined {
  const diagonalMm = diagonalOf(computeBounds(solid.positions));
  const drainHoles = hasHoles ? { ...HOLES, diameterMm: diagonalMm * HOLE_FRACTION } : undefined;
  const wallMm = diagonalMm * WALL_FRACTION;
  try {
    return hollow(solid, analyzeWithPlaces(solid), { wallMm, direction, drainHoles, reduce: reduceSolid });
  } catch (error) {
    if (error instanceof MeshError && error.code === 'NOTHING_LEFT') return undefined;
    throw error;
  }
}

/**
 * Hollows a solid, also with three drain holes per cavity. Returns `undefined` if no cavity remains. Promised:
 * - a solid with one more void for each cavity, and no wall thinner than requested;
 * - outward: its voids are the outermost shells of the model, turned over;
 * - with drain holes: a solid in which each hole that is reported leads from a cavity to the outside. The first one of a
 *   cavity joins two shells, each further one adds a handle.
 */
export function judgeHollowing(
  solid: IndexedMesh,
  direction: HollowDirection,
  { judge, measure }: MeshJudge,
): OperationJudgment | undefined {
  const closed = tryHollow(solid, direction, false);
  const drained = tryHollow(solid, direction, true);
  if (closed === undefined || drained === undefined) return undefined;
  const kept = direction === 'inward' ? solid : selectOutermostShells(solid);
  const added = { ...closed.mesh, triangles: closed.mesh.triangles.slice(kept.triangles.length) };
  const wall = measure(added, kept);
  const wallMm = diagonalOf(computeBounds(solid.positions)) * WALL_FRACTION;
  const keptJudgment = judge(kept);
  const closedJudgment = judge(closed.mesh);
  const brokenPromises = listBroken([
    ...listCavityPromises(direction, closed.cavityCount, keptJudgment, closedJudgment),
    [wall.minMm >= wallMm * (1 - ROUNDING), `has a wall of ${wall.minMm} mm, not ${wallMm} mm`],
    ...listHolePromises(drained, closedJudgment, judge(drained.mesh)),
  ]);
  const holes = drained.drainHoles.reduce((sum, cavity) => sum + cavity.holes.length, 0);
  const figures = { minWall: wall.minMm / wallMm, maxWall: wall.maxMm / wallMm, cavities: closed.cavityCount, holes };
  return { brokenPromises, figures };
}

function listCavityPromises(
  direction: HollowDirection,
  cavityCount: number,
  model: Judgment,
  { isSolid, shellVolumesMm3 }: Judgment,
): Promised[] {
  const isVoid = (volumeMm3: number) => volumeMm3 < 0;
  const voids = shellVolumesMm3.filter(isVoid);
  const expected = model.shellVolumesMm3.filter(isVoid).length + cavityCount;
  const isShellOfModel = (volumeMm3: number) =>
    model.shellVolumesMm3.some((one) => Math.abs(one + volumeMm3) <= VOLUME_ROUNDING * one);
  return [
    [isSolid, 'is not solid'],
    [voids.length === expected, `has ${voids.length} voids, not ${expected}`],
    [direction === 'inward' || voids.every(isShellOfModel), 'has a void that is not the model'],
  ];
}

function listHolePromises({ drainHoles, cavityCount }: HollowResult, closed: Judgment, drained: Judgment): Promised[] {
  const counts = drainHoles.map(({ holes }) => holes.length);
  const opened = counts.filter((count) => count > 0).length;
  const shells = closed.shellVolumesMm3.length - opened;
  const genus = genusOf(closed) + counts.reduce((sum, count) => sum + count, 0) - opened;
  return [
    [counts.length === cavityCount, `reports the holes of ${counts.length} cavities, not ${cavityCount}`],
    [drained.isSolid, 'is not solid with drain holes'],
    [drained.shellVolumesMm3.length === shells, `has ${drained.shellVolumesMm3.length} shells, not ${shells}`],
    [genusOf(drained) === genus, `has the genus ${genusOf(drained)}, not ${genus}`],
  ];
}

/**
 * Reduces a solid to within a thousandth of its diagonal. Promised: a solid whose vertices are within the accuracy of the
 * other surface, in both directions, and other points hardly farther away.
 */
export function judgeReduction(solid: IndexedMesh, { judge, measure }: MeshJudge): OperationJudgment {
  const accuracyMm = diagonalOf(computeBounds(solid.positions)) * ACCURACY_FRACTION;
  const options = { accuracyMm, maxAngle: 60, numberOfIterations: 1 };
  const { mesh, maxDistanceMm } = reduceTriangles(solid, analyzeWithPlaces(solid), options);
  const [there, back] = [measure(solid, mesh), measure(mesh, solid)];
  const vertices = Math.max(there.maxAtVerticesMm, back.maxAtVerticesMm) / accuracyMm;
  const all = Math.max(there.maxMm, back.maxMm) / accuracyMm;
  const brokenPromises = listBroken([
    [judge(mesh).isSolid, 'is not solid'],
    [maxDistanceMm <= accuracyMm, `reports a distance of ${maxDistanceMm} mm, more than ${accuracyMm} mm`],
    [vertices <= 1 + ROUNDING, `has a vertex ${vertices} times the accuracy away`],
    [all <= MAX_ACCURACIES_BETWEEN, `has a point ${all} times the accuracy away`],
  ]);
  const reported = maxDistanceMm / accuracyMm;
  return { brokenPromises, figures: { vertices, all, reported, left: mesh.triangles.length / solid.triangles.length } };
}

/**
 * Wraps a mesh. Promised: a solid nowhere farther than three cubes from the closed surface, and at no vertex farther than
 * reported.
 */
export function judgeWrap(mesh: IndexedMesh, { judge, measure }: MeshJudge): OperationJudgment {
  const wrap = shrinkwrap(mesh, { accuracy: 'Rough', close: closeMesh });
  const { surface } = closeMesh(mesh);
  const cubeMm = diagonalOf(computeBounds(surface.positions)) / WRAP_CUBES;
  const { maxMm, maxAtVerticesMm } = measure(wrap.mesh, surface);
  const { maxDisplacementMm } = wrap.report;
  const brokenPromises = listBroken([
    [judge(wrap.mesh).isSolid, 'is not solid'],
    [maxMm <= MAX_CUBES_AWAY * cubeMm, `has a point ${maxMm / cubeMm} cubes away`],
    [
      maxAtVerticesMm <= maxDisplacementMm * (1 + ROUNDING),
      `has a vertex ${maxAtVerticesMm} mm away, but reports ${maxDisplacementMm} mm`,
    ],
  ]);
  return { brokenPromises, figures: { cubesAway: maxMm / cubeMm, reported: maxDisplacementMm / maxMm } };
}
