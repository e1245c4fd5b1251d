import { createLedgerEntry } from '../analysis/ledger-numbers.js';
import type { ModelNotes } from '../analysis/model-notes.js';
import type { InnerShell, InnerShellRule, ReportWarning, StepEntry } from '../analysis/report.js';
import { pluralize } from '../core/pluralize.js';
import { measureGroups } from '../geometry/measure-groups.js';
import type { MeshIndex, MeshState } from '../spatial/mesh-index.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
import { measureGains } from './measure-gains.js';
import { measureLosses } from './measure-losses.js';

/** step → why it removes and adds triangles and volume */
const REASONS: Readonly<Record<string, string>> = {
  clean: 'duplicate and invalid triangles, and walls between bodies that touch, enclose nothing',
  stitch: 'cracks were closed, and triangles drawn twice enclose nothing',
  'stray-corners': 'misplaced corners were moved back',
  't-junctions': 'edges were split at vertices that lie on them',
  gaps: 'gaps between faces were closed',
  orient: 'neighbors were wound inconsistently',
  'interior-walls': 'walls inside a body enclose nothing',
  'open-fragments': 'small open pieces enclose nothing',
  holes: 'holes were filled',
  shells: 'bodies were inside out, or cavities were turned inward',
  voids: 'a body that crosses itself was united around its void',
  fans: 'bodies that touch got separate vertices',
  'degenerate-triangles': 'triangles had no area',
  'planar-regions': 'overlapping faces were merged',
  intersections: 'bodies that overlap were united; hidden parts of folds were dropped',
};

/** A reason of a verdict is added for each of these warnings: the result is not what the file contains. */
const VERDICT_REASONS: Readonly<Partial<Record<ReportWarning['code'], string>>> = {
  SHEETS_DROPPED: 'walls without thickness were dropped',
  ZERO_THICKNESS: 'walls without thickness',
  PARTS_DROPPED: 'parts without volume were dropped',
  UNEXPLAINED_LOSS: 'volume lost without an explanation',
  UNEXPLAINED_GAIN: 'volume added without an explanation',
};

/**
 * Returns the ledger entry of a step: what it removed and added, without numbers that are 0. The entries of all steps add
 * up to the difference between the first and the last mesh.
 */
export function createStepEntry(name: string, changed: number, before: MeshState, after: MeshState): StepEntry {
  if (before === after) return { name, changed };
  const triangles = (after.mesh.triangles.length - before.mesh.triangles.length) / 3;
  const shells = after.index.shells().count - before.index.shells().count;
  const removedObjects = countObjects(before.mesh) - countObjects(after.mesh);
  const volumeChangeMm3 = after.index.derive(measureVolume) - before.index.derive(measureVolume);
  const differences = { triangles, shells, volumeMm3: volumeChangeMm3, removedObjects };
  return createLedgerEntry(name, changed, differences, REASONS[name]);
}

/** Computes the signed volume of a mesh, as its analysis does. For `MeshIndex.derive`. */
function measureVolume({ mesh }: MeshIndex): number {
  return measureGroups(mesh, new Uint32Array(mesh.triangles.length / 3), 1).volumeMm3[0];
}

function countObjects({ objectOf }: TaggedMesh): number {
  return new Set(objectOf).size;
}

/** What a repair did, as far as it explains a loss. */
interface Explanation {
  maxDisplacementMm: number;
  innerShells: readonly InnerShell[];
}

/**
 * Returns the warning `UNEXPLAINED_LOSS` if more than 0.5 % of a closed body of the source is missing in the result.
 * Explained are the displacement of the surface, and inner shells that were made voids.
 */
export function createLossWarnings(
  source: MeshState,
  result: MeshIndex,
  { maxDisplacementMm, innerShells }: Explanation,
): ReportWarning[] {
  const voids = innerShells.filter(({ outcome }) => outcome === 'void');
  const isVoid = ([minX, minY, minZ, maxX, maxY, maxZ]: Float64Array) => {
    const sizeMm = Math.hypot(maxX - minX, maxY - minY, maxZ - minZ);
    const distanceTo = ({ x, y, z }: InnerShell) =>
      Math.hypot((minX + maxX) / 2 - x, (minY + maxY) / 2 - y, (minZ + maxZ) / 2 - z);
    const toleranceMm = maxDisplacementMm + sizeMm * 1e-3;
    return voids.some((shell) => Math.abs(shell.sizeMm - sizeMm) <= toleranceMm && distanceTo(shell) <= toleranceMm);
  };
  const losses = measureLosses(source, { result, maxDisplacementMm, isVoid });
  const lostMm3 = losses.reduce((sum, { volumeMm3, lostFraction }) => sum + volumeMm3 * lostFraction, 0);
  if (losses.length === 0) return [];
  const verb = losses.length === 1 ? 'has' : 'have';
  const message = `${pluralize(losses.length, 'body', 'bodies')} ${verb} lost ${lostMm3.toPrecision(3)} mm³, for a reason that the repair does not know. Compare the result with the model.`;
  return [{ code: 'UNEXPLAINED_LOSS', message }];
}

/**
 * Returns the warning `UNEXPLAINED_GAIN` if more than 0.5 % of the result is not inside the closed bodies of the source.
 * Explained are the displacement of the surface, and inner shells that were merged because the rule asks for it.
 */
export function createGainWarnings(
  source: MeshState,
  result: MeshIndex,
  { maxDisplacementMm, innerShells }: Explanation,
  rule: InnerShellRule,
): ReportWarning[] {
  const merged = rule === 'merge' ? innerShells.filter(({ outcome }) => outcome === 'merged') : [];
  const isFilledOnPurpose = ([px, py, pz]: readonly number[]) =>
    merged.some(({ x, y, z, sizeMm }) => Math.hypot(px - x, py - y, pz - z) * 2 <= sizeMm);
  const gainedFraction = measureGains(source, { result, maxDisplacementMm, isFilledOnPurpose });
  if (gainedFraction === 0) return [];
  const gainedMm3 = gainedFraction * result.derive(measureVolume);
  const message = `The result encloses ${gainedMm3.toPrecision(3)} mm³ that the model does not, for a reason that the repair does not know. Compare the result with the model.`;
  return [{ code: 'UNEXPLAINED_GAIN', message }];
}

/** Returns why the result of a repair is not what the file contains, as its warnings say. */
export function listLossReasons(warnings: readonly ReportWarning[]): string[] {
  return warnings.flatMap(({ code }) => VERDICT_REASONS[code] ?? []);
}

/** Returns the notes of a model with the reasons that the warnings of its repair or reduction add. */
export function addLossReasons(notes: ModelNotes, warnings: readonly ReportWarning[]): ModelNotes {
  return { ...notes, reasons: [...new Set([...notes.reasons, ...listLossReasons(warnings)])] };
}
