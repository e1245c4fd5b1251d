import { measureGroups } from '../geometry/measure-groups.js';
import type { MeshState } from '../spatial/mesh-index.js';
import { triangleOf } from '../topology/half-edge.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { createSheetsWarning } from './clean.js';
import { countOutside } from './find-sheets.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** An open shell is a fragment if more than this fraction of its edges are boundary edges. */
const MIN_BOUNDARY_FRACTION = 0.5;
/** The dropped fragments have at most this fraction of the total area. */
const MAX_REMOVED_AREA_FRACTION = 0.05;
/** A dropped shell of several triangles outside of the bodies is a sheet if it has more than this fraction of the total area. */
const MIN_SHEET_AREA_FRACTION = 0.002;

/**
 * The step `open-fragments`. Drops open shells that consist mostly of boundary edges, the smallest first, until their
 * total area reaches the limit. The notes count triangles. Warns of sheets beside the bodies.
 */
export const REMOVE_OPEN_FRAGMENTS: RepairStep = { name: 'open-fragments', run: removeOpenFragments };

function removeOpenFragments(mesh: TaggedMesh, { index, tolerances }: StepContext): StepResult {
  const triangleCount = mesh.triangles.length / 3;
  if (index.edgeDefects().boundary.length === 0) return unchanged(mesh);
  const edges = index.edges();
  const shells = index.shells();
  const edgeCounts = new Uint32Array(shells.count);
  const boundaryCounts = new Uint32Array(shells.count);
  for (let edge = 0; edge + 1 < edges.starts.length; edge++) {
    const shell = shells.shellOf[triangleOf(edges.order[edges.starts[edge]])];
    edgeCounts[shell]++;
    if (edges.starts[edge + 1] - edges.starts[edge] === 1) boundaryCounts[shell]++;
  }
  const { areaMm2 } = measureGroups(mesh, shells.shellOf, shells.count);
  const totalMm2 = areaMm2.reduce((sum, area) => sum + area, 0);
  const isFragment = new Array<boolean>(shells.count).fill(false);
  const candidates = [...isFragment.keys()].filter(
    (shell) => boundaryCounts[shell] > edgeCounts[shell] * MIN_BOUNDARY_FRACTION,
  );
  // If the mesh consists of fragments only, they are the model.
  if (candidates.length === shells.count) return unchanged(mesh);
  let droppedMm2 = 0;
  for (const shell of candidates.sort((a, b) => areaMm2[a] - areaMm2[b] || a - b)) {
    droppedMm2 += areaMm2[shell];
    if (droppedMm2 > totalMm2 * MAX_REMOVED_AREA_FRACTION) break;
    isFragment[shell] = true;
  }
  if (!isFragment.includes(true)) return unchanged(mesh);
  const kept: number[] = [];
  for (let triangle = 0; triangle < triangleCount; triangle++)
    if (!isFragment[shells.shellOf[triangle]]) kept.push(triangle);
  const isSheet = isFragment.map(
    (isDropped, shell) => isDropped && areaMm2[shell] > totalMm2 * MIN_SHEET_AREA_FRACTION,
  );
  const sheetCount = countSheetTriangles({ mesh, index }, isFragment, isSheet, tolerances.nearMm);
  const warnings = sheetCount > 0 ? [createSheetsWarning(sheetCount)] : [];
  return changed({ mesh: selectTriangles(mesh, kept) }, { count: triangleCount - kept.length, warnings });
}

/** Counts the triangles of sheets beside the bodies. A single triangle is none. */
function countSheetTriangles(
  state: MeshState,
  isFragment: readonly boolean[],
  isSheet: readonly boolean[],
  nearMm: number,
): number {
  if (!isSheet.includes(true)) return 0;
  const { shellOf } = state.index.shells();
  const groups = new Map<number, number[]>(); // shell → its triangles
  for (const [triangle, shell] of shellOf.entries()) {
    if (!isSheet[shell]) continue;
    const group = groups.get(shell);
    if (group) group.push(triangle);
    else groups.set(shell, [triangle]);
  }
  const sheets = [...groups.values()].filter((group) => group.length > 1);
  const isDropped = shellOf.map((shell) => Number(isFragment[shell]));
  return sheets.length > 0 ? countOutside(state, sheets, isDropped, nearMm) : 0;
}
