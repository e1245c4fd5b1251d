import { measureGroups } from '../geometry/measure-groups.js';
import { triangleOf } from '../topology/half-edge.js';
import { selectTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { changed, type RepairStep, type StepContext, type StepResult, unchanged } from './step.js';

/** An open shell is a fragment if more than this fraction of its edges are boundary edges. */
const MIN_BOUNDARY_FRACTION = 0.5;
/** The dropped fragments have at most this fraction of the total area. */
const MAX_REMOVED_AREA_FRACTION = 0.05;

/**
 * The step `open-fragments`. Drops open shells that consist mostly of boundary edges, the smallest first, until their
 * total area reaches the limit. The notes count triangles.
 */
export const REMOVE_OPEN_FRAGMENTS: RepairStep = { name: 'open-fragments', run: removeOpenFragments };

function removeOpenFragments(mesh: TaggedMesh, { index }: StepContext): StepResult {
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
  return changed({ mesh: selectTriangles(mesh, kept) }, { count: triangleCount - kept.length });
}
