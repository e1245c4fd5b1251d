import { analyze } from '../../analysis/analyze.js';
import type { Analysis } from '../../analysis/report.js';
import { verdictOf } from '../../analysis/verdict.js';
import { createResolutionWork } from '../../arrangement/resolve-intersections.js';
import { subtract } from '../../arrangement/subtract.js';
import type { Box3, MeshGeometry } from '../../core/mesh.js';
import type { WorkCounter } from '../../core/work-counter.js';
import { boxesOverlap, computeBounds, diagonalOf } from '../../geometry/bounds.js';
import { repair } from '../../repair/repair.js';
import { compact } from '../../topology/compact.js';
import { joinMeshes } from '../../topology/join-meshes.js';
import { toTaggedMesh } from '../../topology/tagged-mesh.js';
import { inflate } from './inflate.js';
import { snapCoordinates } from './snap-coordinates.js';

/** Perturbations of the negative volumes that are tried, as fractions of the size. The first one leaves them exact. */
const PERTURBATION_FRACTIONS = [0, 1e-7, 1e-6, 3e-7, 1e-5, 3e-6];
/** The negative volumes grow by this many perturbations, so that no film is left where they end at a face of the part. */
const GROWTH_FACTOR = 4;
/** Coordinates of the result that are this many perturbations from those of the bodies are set to them. */
const SNAPPING_FACTOR = 16;
/** The volume of a result may leave its bounds by this fraction. */
const VOLUME_TOLERANCE_FRACTION = 1e-4;
/** Units of work per triangle of an analysis, and of a repair. */
const ANALYSIS_WORK = 8;
const REPAIR_WORK = 32;

/** A body that bounds a volume. */
export interface Solid {
  mesh: MeshGeometry;
  box: Box3;
  analysis: Analysis;
  /** Whether a repair made it solid. */
  isRepaired: boolean;
}

/**
 * Returns a body as a solid, which a boolean operation requires: repaired if it is not one. Returns `undefined` if the
 * repair does not succeed, or the work exceeds its limits.
 */
export function toSolid(mesh: MeshGeometry, work: WorkCounter): Solid | undefined {
  const triangleCount = mesh.triangles.length / 3;
  if (triangleCount === 0 || !work.add(triangleCount * ANALYSIS_WORK)) return undefined;
  const analysis = analyze(mesh);
  if (isSolid(analysis)) return { mesh, box: computeBounds(mesh.positions), analysis, isRepaired: false };
  if (!work.add(triangleCount * REPAIR_WORK)) return undefined;
  const repaired = repair(mesh);
  if (!repaired.isSuccessful || !isSolid(repaired.report.after)) return undefined;
  const { positions, triangles } = repaired.mesh;
  const geometry = { positions, triangles };
  return { mesh: geometry, box: computeBounds(positions), analysis: repaired.report.after, isRepaired: true };
}

function isSolid(analysis: Analysis): boolean {
  return verdictOf(analysis).level === 'solid';
}

/**
 * Subtracts solids from a solid. Each result is checked: it is a solid, or nothing, of a possible volume. Returns a mesh
 * without triangles if nothing remains, or `undefined` if a difference cannot be computed or the work exceeds its limits.
 */
export function subtractNegatives(
  part: Solid,
  negatives: readonly Solid[],
  work: WorkCounter,
): MeshGeometry | undefined {
  let remaining = { mesh: part.mesh, volumeMm3: part.analysis.volumeMm3 };
  for (const batch of groupDisjoint(negatives)) {
    const difference = subtractOnce(remaining, batch, work);
    if (difference === undefined) return undefined;
    remaining = difference;
    if (remaining.mesh.triangles.length === 0) break;
  }
  return remaining.mesh;
}

/** Groups solids such that the boxes of each group are apart. */
function groupDisjoint(solids: readonly Solid[]): Solid[][] {
  const groups: Solid[][] = [];
  for (const solid of solids) {
    const group = groups.find((members) => members.every(({ box }) => !boxesOverlap(box, solid.box)));
    if (group) group.push(solid);
    else groups.push([solid]);
  }
  return groups;
}

interface Difference {
  mesh: MeshGeometry;
  volumeMm3: number;
}

/** Subtracts solids that are apart from each other. */
function subtractOnce(
  { mesh, volumeMm3 }: Difference,
  tools: readonly Solid[],
  work: WorkCounter,
): Difference | undefined {
  const tool = joinMeshes(tools.map((solid) => solid.mesh));
  const toolMm3 = tools.reduce((sum, { analysis }) => sum + analysis.volumeMm3, 0);
  const sizeMm = Math.max(diagonalOf(computeBounds(mesh.positions)), diagonalOf(computeBounds(tool.positions)));
  const toleranceMm3 = VOLUME_TOLERANCE_FRACTION * Math.max(volumeMm3, toolMm3);
  for (const [seed, fraction] of PERTURBATION_FRACTIONS.entries()) {
    if (!work.add(((mesh.triangles.length + tool.triangles.length) / 3) * ANALYSIS_WORK)) return undefined;
    const amplitudeMm = fraction * sizeMm;
    const grown = fraction === 0 ? tool : inflate(tool, amplitudeMm * GROWTH_FACTOR);
    const state = subtract(toTaggedMesh(mesh), grown, amplitudeMm, seed + 1, work);
    if (!state) continue;
    if (state.mesh.triangles.length === 0) {
      if (volumeMm3 > toolMm3 + toleranceMm3) continue;
      return { mesh: state.mesh, volumeMm3: 0 };
    }
    const exact = compact(state.mesh.positions, state.mesh.triangles);
    const snapped = fraction > 0 ? [snapCoordinates(exact, [mesh, tool], amplitudeMm * SNAPPING_FACTOR)] : [];
    for (const difference of [...snapped, exact]) {
      const analysis = analyze(difference);
      const { volumeMm3: remainingMm3 } = analysis;
      const isPossible = remainingMm3 < volumeMm3 + toleranceMm3 && remainingMm3 > volumeMm3 - toolMm3 - toleranceMm3;
      if (isSolid(analysis) && isPossible) return { mesh: difference, volumeMm3: remainingMm3 };
    }
  }
  return undefined;
}

/**
 * The functions with which the readers of slicers' projects subtract solids. They are handed in, because the service process has the
 * readers with the records of the formats, but not the kernel.
 */
export const SOLID_TOOLS = { createWork: createResolutionWork, toSolid, subtractNegatives };

export type SolidTools = typeof SOLID_TOOLS;
