import type { EditableMesh } from './editable-mesh.js';

/**
 * Collapses an edge into one of its ends if the mesh stays manifold and the number of defects decreases. Returns
 * whether it was collapsed.
 */
export function tryCollapseEdge(surface: EditableMesh, from: number, to: number): boolean {
  // Link condition (Dey et al. 1999): the only common neighbors of the ends are the two opposite vertices.
  if (surface.commonNeighborsOf(from, to).length !== 2) return false;
  if (surface.valenceOf(from) <= 3 && surface.valenceOf(to) <= 3) return false;
  return tryCollapseInto(surface, from, to) || tryCollapseInto(surface, to, from);
}

/** Merges vertex `from` into `to`. Returns whether the number of defects decreased. */
function tryCollapseInto(surface: EditableMesh, from: number, to: number): boolean {
  const oneRing = surface.oneRingOf(from);
  return surface.tryEdit(surface.createEditRegion(oneRing), () => {
    for (const triangle of oneRing) {
      const corners = [...surface.cornersOf(triangle)];
      if (corners.includes(to)) surface.removeTriangle(triangle);
      else
        surface.setCorners(
          triangle,
          corners.map((vertex) => (vertex === from ? to : vertex)),
        );
    }
    surface.recordMerge(from, to);
  });
}
