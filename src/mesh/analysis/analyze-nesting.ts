import type { IndexedMesh } from '../core/mesh.js';
import type { Bvh } from '../spatial/bvh.js';
import { findNesting } from '../spatial/nesting.js';
import { triangleOf } from '../topology/half-edge.js';
import type { Shells } from '../topology/shells.js';
import type { EdgeDefects } from './connectivity.js';
import type { GroupMeasures } from './measure.js';

/** How the closed shells of a mesh stand to each other. */
export interface NestingAnalysis {
  /** Triangles of closed shells that face inward though no shell is round them. */
  invertedTriangles: number;
  /** Whether every point of space lies in 0 or 1 shells, counted by winding: outermost shells face outward, those inside alternate. */
  boundsVolume: boolean;
}

/** Judges shells by their signed volume and by which shells are round them. Shells with a bad edge are not judged, and bound nothing. */
export function analyzeNesting(
  mesh: IndexedMesh,
  shells: Shells,
  { volumeMm3 }: GroupMeasures,
  edgeDefects: EdgeDefects,
  tree: Bvh,
): NestingAnalysis {
  const isClosed = markClosedShells(shells, edgeDefects);
  const { containers } = findNesting(mesh, shells, isClosed, tree);
  const sizes = new Uint32Array(shells.count);
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++) sizes[shells.shellOf[triangle]]++;
  let invertedTriangles = 0;
  let boundsVolume = shells.count > 0;
  for (let shell = 0; shell < shells.count; shell++) {
    const around = containers[shell];
    if (isClosed[shell] === 1 && volumeMm3[shell] < 0 && around.length === 0) invertedTriangles += sizes[shell];
    // The winding number just outside this shell must be 0 where it faces outward, 1 where it is the wall of a cavity.
    const outside = around.reduce((winding, container) => winding + Math.sign(volumeMm3[container]), 0);
    const isConsistent = volumeMm3[shell] > 0 ? outside === 0 : volumeMm3[shell] < 0 && outside === 1;
    if (isClosed[shell] === 0 || !isConsistent) boundsVolume = false;
  }
  return { invertedTriangles, boundsVolume };
}

/** shell → 1 where each of its edges is walked once each way */
function markClosedShells({ shellOf, count }: Shells, edgeDefects: EdgeDefects): Uint8Array {
  const isClosed = new Uint8Array(count).fill(1);
  for (const halfEdges of [edgeDefects.boundary, edgeDefects.nonManifold, edgeDefects.inconsistent])
    for (const h of halfEdges) isClosed[shellOf[triangleOf(h)]] = 0;
  return isClosed;
}
