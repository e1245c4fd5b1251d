import createModule, { type Manifold } from 'manifold-3d';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import type { ComposedBody } from './compositions.js';

/** Computes the volume of the union of bodies. */
export type MeasureUnion = (bodies: readonly ComposedBody[]) => number;

/** Loads the library manifold-3d, and returns a function that measures unions with it. */
export async function loadUnion(): Promise<MeasureUnion> {
  const library = await createModule();
  library.setup();
  const toManifold = ({ positions, triangles }: IndexedMesh) =>
    new library.Manifold(
      new library.Mesh({ numProp: 3, vertProperties: Float32Array.from(positions), triVerts: triangles }),
    );
  return (bodies) => {
    const used: Manifold[] = []; // to be freed
    const keep = (manifold: Manifold) => {
      used.push(manifold);
      return manifold;
    };
    const unite = (meshes: readonly IndexedMesh[]) =>
      keep(library.Manifold.union(meshes.map((mesh) => keep(toManifold(mesh)))));
    const parts = bodies.map(({ solids, cavities }) => {
      const solid = unite(solids);
      return cavities.length === 0 ? solid : keep(solid.subtract(unite(cavities)));
    });
    const volumeMm3 = keep(library.Manifold.union(parts)).volume();
    for (const manifold of used) manifold.delete();
    return volumeMm3;
  };
}
