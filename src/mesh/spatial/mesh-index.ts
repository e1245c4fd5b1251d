import { lazy } from '../core/lazy.js';
import type { MeshGeometry } from '../core/mesh.js';
import { type Connectivity, createConnectivity } from '../topology/connectivity.js';
import { pairTwinsRadially } from '../topology/pair-twins-radially.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';
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
  /** Returns whether the result of `compute` is known. */
  isDerived(compute: (index: MeshIndex) => unknown): boolean;
  /** Keeps `result` as what `compute` returns for this index. */
  provide<T>(compute: (index: MeshIndex) => T, result: T): void;
}

/** What is known of a mesh before its index is created. */
export interface KnownIndex {
  /** The connectivity of the same triangles, before vertices moved or unused ones were dropped. */
  connectivity?: Connectivity;
  /** The BVH of the same triangles at the same positions, before unused vertices were dropped. */
  bvh?: () => Bvh;
}

/** Creates the index of a mesh. Computes nothing yet. */
export function createMeshIndex(mesh: MeshGeometry, known: KnownIndex = {}): MeshIndex {
  const { positions, triangles } = mesh;
  const connectivity = known.connectivity ?? createConnectivity(mesh);
  const { isClosed, edges, twins } = connectivity;
  const results = new Map<unknown, unknown>();
  const index: MeshIndex = {
    ...connectivity,
    mesh,
    bvh: known.bvh ?? (() => index.derive(buildBvhOf)),
    radialTwins: lazy(() => (isClosed() ? twins() : pairTwinsRadially(positions, triangles, edges()))),
    derive<T>(compute: (index: MeshIndex) => T): T {
      if (!results.has(compute)) results.set(compute, compute(index));
      return results.get(compute) as T; // only `derive` and `provide` store results, with their type
    },
    isDerived: (compute) => results.has(compute),
    provide(compute, result) {
      results.set(compute, result);
    },
  };
  return index;
}

/** Builds the BVH of an indexed mesh. For `MeshIndex.derive`: `MeshIndex.bvh` returns the same. */
export function buildBvhOf({ mesh }: MeshIndex): Bvh {
  return buildBvh(mesh.positions, mesh.triangles);
}

/** A state of a mesh that is being changed: its triangles with their objects, and its index. */
export interface MeshState {
  mesh: TaggedMesh;
  index: MeshIndex;
}

/** Creates the state of a mesh that changed. */
export function createMeshState(mesh: TaggedMesh, known?: KnownIndex): MeshState {
  return { mesh, index: createMeshIndex(mesh, known) };
}
