import { measureGroups } from '../analysis/measure.js';
import { buildEdges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { findShells } from '../topology/shells.js';
import { type RepairMesh, type RepairStep, type StepResult, selectTriangles } from './step.js';

/** An open shell is a scrap when more than this share of its edges is boundary: a disc or an open tube has half. */
const MIN_BOUNDARY_FRACTION = 0.5;
/** Never more than this share of the whole area is thrown away. */
const MAX_REMOVED_AREA_FRACTION = 0.05;

/**
 * Drops stray open scraps: shells that are mostly boundary and small against the rest, the smallest first, as long as all of them together
 * are small. `changed` counts triangles.
 */
export const REMOVE_OPEN_FRAGMENTS: RepairStep = { name: 'open-fragments', run: removeOpenFragments };

function removeOpenFragments(mesh: RepairMesh): StepResult {
  const triangleCount = mesh.triangles.length / 3;
  const edges = buildEdges(mesh.triangles, mesh.positions.length / 3);
  const shells = findShells(triangleCount, edges);
  const edgeCounts = new Uint32Array(shells.count);
  const boundaryCounts = new Uint32Array(shells.count);
  for (let edge = 0; edge + 1 < edges.starts.length; edge++) {
    const shell = shells.shellOf[triangleOf(edges.order[edges.starts[edge]])];
    edgeCounts[shell]++;
    if (edges.starts[edge + 1] - edges.starts[edge] === 1) boundaryCounts[shell]++;
  }
  const { areaMm2 } = measureGroups(mesh, shells.shellOf, shells.count);
  const wholeMm2 = areaMm2.reduce((sum, area) => sum + area, 0);
  const isFragment = new Array<boolean>(shells.count).fill(false);
  const candidates = [...isFragment.keys()].filter(
    (shell) => boundaryCounts[shell] > edgeCounts[shell] * MIN_BOUNDARY_FRACTION,
  );
  // Where scraps are all there is, they are the model.
  if (candidates.length === shells.count) return { mesh, changed: 0 };
  let droppedMm2 = 0;
  for (const shell of candidates.sort((a, b) => areaMm2[a] - areaMm2[b] || a - b)) {
    droppedMm2 += areaMm2[shell];
    if (droppedMm2 > wholeMm2 * MAX_REMOVED_AREA_FRACTION) break;
    isFragment[shell] = true;
  }
  if (!isFragment.includes(true)) return { mesh, changed: 0 };
  const kept: number[] = [];
  for (let triangle = 0; triangle < triangleCount; triangle++)
    if (!isFragment[shells.shellOf[triangle]]) kept.push(triangle);
  return { mesh: selectTriangles(mesh, kept), changed: triangleCount - kept.length };
}
