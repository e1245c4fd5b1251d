import createModule from 'manifold-3d';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import type { Prism, Solid } from './contacts.js';

/** Computes the union of upright prisms. */
export type UnitePrisms = (solids: readonly Solid[]) => IndexedMesh;

/**
 * Loads the library manifold-3d, and returns a function that computes unions with it: of the outlines between two levels
 * (by Clipper2), then of the layers. The faces at which layers touch are level, of which its unions are exact.
 */
export async function loadUnitePrisms(): Promise<UnitePrisms> {
  const library = await createModule();
  library.setup();
  const { CrossSection, Manifold } = library;
  const outlineOf = ({ rings }: Prism) =>
    new CrossSection(
      rings.map((ring) => ring.map(([x, y]): [number, number] => [x, y])),
      'EvenOdd',
    );
  return (solids) => {
    const prisms = solids.flatMap(({ solid, cavity }) => [solid, ...(cavity ? [cavity] : [])]);
    const levels = [...new Set(prisms.flatMap(({ z, height }) => [z, z + height]))].sort((a, b) => a - b);
    const layers = levels.slice(1).flatMap((top, i) => {
      const bottom = levels[i] ?? top;
      const outlines = solids.flatMap(({ solid, cavity }) => {
        if (!isInLayer(solid, bottom, top)) return [];
        const outline = outlineOf(solid);
        return [cavity && isInLayer(cavity, bottom, top) ? outline.subtract(outlineOf(cavity)) : outline];
      });
      if (outlines.length === 0) return [];
      return [Manifold.extrude(CrossSection.union(outlines), top - bottom).translate([0, 0, bottom])];
    });
    const { numProp, vertProperties, triVerts } = Manifold.union(layers).getMesh();
    const positions = Float64Array.from(vertProperties).filter((_, i) => i % numProp < 3);
    return { positions, triangles: Uint32Array.from(triVerts) };
  };
}

function isInLayer({ z, height }: Prism, bottom: number, top: number): boolean {
  return z <= bottom && z + height >= top;
}
