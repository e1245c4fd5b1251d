import type { GroupMeasures } from '../geometry/measure-groups.js';
import type { MeshIndex } from '../spatial/mesh-index.js';
import { findNesting } from '../spatial/nesting.js';
import type { EdgeDefects } from '../topology/connectivity.js';
import { triangleOf } from '../topology/half-edge.js';
import type { Shells } from '../topology/shells.js';

/** How the closed shells of a mesh are nested. */
export interface NestingAnalysis {
  /** Number of triangles in closed shells that face inward although no other shell encloses them. */
  invertedTriangles: number;
  /**
   * Whether the winding number is 0 or 1 everywhere: the outermost shells face outward, and the shells inside them
   * alternate between inward and outward.
   */
  boundsVolume: boolean;
}

/**
 * Computes how the shells of a mesh are nested, from their signed volumes and from which shells contain which. A shell
 * with a boundary, non-manifold or inconsistently wound edge is skipped, and `boundsVolume` is then false.
 */
export function analyzeNesting(index: MeshIndex, { volumeMm3 }: GroupMeasures): NestingAnalysis {
  const shells = index.shells();
  const isClosed = markClosedShells(shells, index.edgeDefects());
  const { containers } = findNesting(index, shells, isClosed);
  const sizes = new Uint32Array(shells.count);
  for (let triangle = 0; triangle < shells.shellOf.length; triangle++) sizes[shells.shellOf[triangle]]++;
  let invertedTriangles = 0;
  let boundsVolume = shells.count > 0;
  for (let shell = 0; shell < shells.count; shell++) {
    const containing = containers[shell];
    if (isClosed[shell] === 1 && volumeMm3[shell] < 0 && containing.length === 0) invertedTriangles += sizes[shell];
    // The winding number just outside a shell must be 0 if it faces outward, and 1 if it is the wall of a cavity.
    const outside = containing.reduce((winding, container) => winding + Math.sign(volumeMm3[container]), 0);
    const isConsistent = volumeMm3[shell] > 0 ? outside === 0 : volumeMm3[shell] < 0 && outside === 1;
    if (isClosed[shell] === 0 || !isConsistent) boundsVolume = false;
  }
  return { invertedTriangles, boundsVolume };
}

/** shell → 1 if each of its edges has exactly two triangles that traverse it in opposite directions */
function markClosedShells({ shellOf, count }: Shells, edgeDefects: EdgeDefects): Uint8Array {
  const isClosed = new Uint8Array(count).fill(1);
  for (const halfEdges of [edgeDefects.boundary, edgeDefects.nonManifold, edgeDefects.inconsistent])
    for (const h of halfEdges) isClosed[shellOf[triangleOf(h)]] = 0;
  return isClosed;
}
