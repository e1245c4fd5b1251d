import { boxOf, measureGroups } from '../analysis/measure.js';
import { compact } from '../topology/compact.js';
import { buildEdges, findTwins, NO_TWIN } from '../topology/edges.js';
import { triangulateBorder } from '../topology/triangulate-border.js';
import { keptPositions, weldPoints } from '../topology/weld.js';
import { findFoldedRegions } from './flat-region.js';
import { SPLIT_FANS } from './split-fans.js';
import { type RepairMesh, type RepairStep, type StepResult, withAdded, withTriangles } from './step.js';

/**
 * Corners this near a plane, as a share of the diagonal, lie in it: what binary STL leaves of a plane at any angle does (its float32 is good for
 * 6e-8 of a coordinate), and so does what is written with six digits.
 */
const FLAT_SHARE = 1e-6;

/** What lies over each other has this share of a region's area at least; less is rounding. */
const LEAST_GONE = 1e-9;

/**
 * Triangulates flat regions anew whose triangles lie over each other within their plane: what they enclose together stays, with every edge and
 * vertex of its border; what goes to and fro within the plane encloses nothing, and goes. So the volume stays, and nothing crosses then that
 * did not before. A region stays as it is where its border crosses itself, or where the box of the mesh would shrink. Closed meshes only.
 * `changed` counts regions.
 */
export const FLAT_REGIONS: RepairStep = { name: 'flat-regions', run: triangulateFolded };

function triangulateFolded(mesh: RepairMesh, diagonalMm: number): StepResult {
  if (!isClosed(mesh)) return { mesh, changed: 0 };
  let current = welded(mesh);
  let changed = 0;
  const gone = new Set<number>();
  const corners: number[] = [];
  const objects: number[] = [];
  for (const { members, axis } of findFoldedRegions(current, diagonalMm * FLAT_SHARE)) {
    const own = members.flatMap((triangle) => [...current.triangles.subarray(triangle * 3, triangle * 3 + 3)]);
    const made = triangulateBorder(current.positions, own, axis);
    if (made === undefined || areaOf(current, made) > areaOf(current, own) * (1 - LEAST_GONE)) continue;
    changed++;
    for (const triangle of members) gone.add(triangle);
    for (const corner of made) corners.push(corner);
    for (let at = 0; at < made.length; at += 3) objects.push(current.objectOf[members[0]]);
  }
  if (changed === 0) return { mesh, changed };
  const kept = [...current.objectOf.keys()].filter((triangle) => !gone.has(triangle));
  current = SPLIT_FANS.run(withAdded(withTriangles(current, kept), corners, objects), diagonalMm).mesh;
  return isClosed(current) && hasSameBox(mesh, current) ? { mesh: current, changed } : { mesh, changed: 0 };
}

function isClosed({ positions, triangles }: RepairMesh): boolean {
  return triangles.length > 0 && !findTwins(triangles, buildEdges(triangles, positions.length / 3)).includes(NO_TWIN);
}

/** The mesh with vertices of the same place as one: the border of a region may come to a place more than once. */
function welded(mesh: RepairMesh): RepairMesh {
  const { vertexOf, firstPoint } = weldPoints(mesh.positions);
  return {
    positions: keptPositions(mesh.positions, firstPoint),
    triangles: mesh.triangles.map((vertex) => vertexOf[vertex]),
    objectOf: mesh.objectOf,
  };
}

function areaOf({ positions }: RepairMesh, corners: readonly number[]): number {
  const triangles = Uint32Array.from(corners);
  return measureGroups({ positions, triangles }, new Uint32Array(triangles.length / 3), 1).areaMm2[0];
}

function hasSameBox(before: RepairMesh, after: RepairMesh): boolean {
  const [was, is] = [before, after].map(({ positions, triangles }) => boxOf(compact(positions, triangles).positions));
  return [0, 1, 2].every((k) => is.min[k] === was.min[k] && is.max[k] === was.max[k]);
}
