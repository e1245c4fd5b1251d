import { measureGroups } from '../analysis/measure.js';
import { buildEdges } from '../topology/edges.js';
import { triangleOf } from '../topology/half-edge.js';
import { findShells } from '../topology/shells.js';
import { type RepairMesh, type RepairStep, type StepResult, withTriangles } from './step.js';

/** An open shell is a scrap when more than this share of its edges is boundary: a disc or an open tube has half. */
const BOUNDARY_SHARE = 0.5;
/** Never more than this share of the whole area is thrown away. */
const AREA_SHARE = 0.05;

/**
 * Drops stray open scraps: shells that are mostly boundary and small against the rest, the smallest first, as long as all of them together
 * are small. `changed` counts triangles.
 */
export const DEBRIS: RepairStep = { name: 'debris', run: dropDebris };

function dropDebris(mesh: RepairMesh): StepResult {
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
  const isScrap = new Array<boolean>(shells.count).fill(false);
  const candidates = [...isScrap.keys()].filter((shell) => boundaryCounts[shell] > edgeCounts[shell] * BOUNDARY_SHARE);
  // Where scraps are all there is, they are the model.
  if (candidates.length === shells.count) return { mesh, changed: 0 };
  let droppedMm2 = 0;
  for (const shell of candidates.sort((a, b) => areaMm2[a] - areaMm2[b] || a - b)) {
    droppedMm2 += areaMm2[shell];
    if (droppedMm2 > wholeMm2 * AREA_SHARE) break;
    isScrap[shell] = true;
  }
  if (!isScrap.includes(true)) return { mesh, changed: 0 };
  const kept: number[] = [];
  for (let triangle = 0; triangle < triangleCount; triangle++)
    if (!isScrap[shells.shellOf[triangle]]) kept.push(triangle);
  return { mesh: withTriangles(mesh, kept), changed: triangleCount - kept.length };
}
