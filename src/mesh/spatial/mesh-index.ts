import { lazy } from '../core/lazy.js';
import type { MeshGeometry } from '../core/mesh.js';
import { type Connectivity, createConnectivity } from '../topology/connectivity.js';
import { pairTwinsRadially } from '../topology/pair-twins-radially.js';
import { type Bvh, buildBvh } from './bvh.js';

/**
 * The connectivity and the BVH of one state of a mesh, and what other layers derive from it. Each part is computed when
 * it is first requested, and kept. A mesh that changes needs a new index.
 */
export interface MeshIndex extends Connectivity {
  readonly mesh: MeshGeometry;
  bvh(): Bvh;
  /** half-edge → its twin, as returned by `pairTwinsRadially` */
  radialTwins(): Int32Array;
  /** Returns the result of `compute` for this index. Calls each function once. */
  derive<T>(compute: (index: MeshIndex) => T): T;
  /** Keeps `result` as what `compute` returns for this index. */
  provide<T>(compute: (index: MeshIndex) => T, result: T): void;
}

/**
 * Creates the index of a mesh. Computes nothing yet.
 *
 * @param connectivity the connectivity, if it is known: that of the same triangles with moved vertices, or without
 * unused vertices
 */
export function createMeshIndex(mesh: MeshGeometry, connectivity: Connectivity = createConnectivity(mesh)): MeshIndex {
  const { positions, triangles } = mesh;
  const { isClosed, edges, twins, shells, edgeDefects, extraFanCount } = connectivity;
  const results = new Map<unknown, unknown>();
  const index: MeshIndex = {
    ...{ mesh, isClosed, edges, twins, shells, edgeDefects, extraFanCount },
    bvh: lazy(() => buildBvh(positions, triangles)),
    radialTwins: lazy(() => (isClosed() ? twins() : pairTwinsRadially(positions, triangles, edges()))),
    derive<T>(compute: (index: MeshIndex) => T): T {
      if (!results.has(compute)) results.set(compute, compute(index));
      return results.get(compute) as T; // only `derive` and `provide` store results, with their type
    },
    provide(compute, result) {
      results.set(compute, result);
    },
  };
  return index;
}
