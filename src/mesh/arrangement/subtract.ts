import type { MeshGeometry } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { flipDegenerateTriangles } from '../editing/flip-degenerate-triangles.js';
import { splitFans } from '../editing/split-fans.js';
import { createMeshIndex, createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { reverseTriangles } from '../topology/reverse-winding.js';
import { appendTriangles, type TaggedMesh } from '../topology/tagged-mesh.js';
import { computeSelfUnion } from './self-union.js';

/**
 * Computes the boolean difference of a solid and a closed tool: the self-union of the solid and the reversed tool. Only
 * the tool is perturbed, so that the surface of the solid stays exact outside of it. Triangles of the tool belong to no
 * object.
 *
 * @param amplitudeMm maximum perturbation of the vertices of the tool along each axis
 * @param seed seed of the random numbers for the perturbation
 * @param work counts the work
 * @returns a mesh without triangles if nothing remains; `undefined` if the surfaces touch despite the perturbation, the
 * result is not watertight, or the work exceeds its limits
 */
export function subtract(
  solid: TaggedMesh,
  tool: MeshGeometry,
  amplitudeMm: number,
  seed: number,
  work: WorkCounter,
): MeshState | undefined {
  const first = solid.positions.length / 3;
  const positions = new Float64Array(solid.positions.length + tool.positions.length);
  positions.set(solid.positions);
  positions.set(tool.positions, solid.positions.length);
  const toolCount = tool.triangles.length / 3;
  const reversed = reverseTriangles(tool.triangles, new Uint8Array(toolCount).fill(1)).map((vertex) => vertex + first);
  const combined = appendTriangles({ ...solid, positions }, [...reversed], new Array<number>(toolCount).fill(0));
  const isOfTool = new Uint8Array(combined.objectOf.length).fill(1, solid.objectOf.length);
  const index = createMeshIndex(combined);
  const difference = computeSelfUnion(index, isOfTool, amplitudeMm, seed, 'drop', work);
  if (difference === undefined) return undefined;
  const objectOf = difference.parentOf.map((parent) => combined.objectOf[parent]);
  if (objectOf.length === 0)
    return createMeshState({ positions: new Float64Array(), triangles: new Uint32Array(), objectOf });
  const union = createMeshState({ positions: difference.positions, triangles: difference.triangles, objectOf });
  const { state } = flipDegenerateTriangles(splitFans(union).state);
  return state.index.isClosed() ? state : undefined;
}
