import type { EditableMesh } from './editable-mesh.js';

/** Lets an edge vanish into one of its ends, where the surface stays closed and less is wrong then. Answers whether it did. */
export function tryCollapseEdge(surface: EditableMesh, from: number, to: number): boolean {
  const common = surface.neighborsOf(from).filter((vertex) => surface.neighborsOf(to).includes(vertex));
  // Both have two neighbours in common, those across the edge; else more than the edge would vanish.
  if (common.length !== 2 || (surface.oneRingOf(from).length <= 3 && surface.oneRingOf(to).length <= 3)) return false;
  return tryCollapseInto(surface, from, to) || tryCollapseInto(surface, to, from);
}

function tryCollapseInto(surface: EditableMesh, from: number, to: number): boolean {
  const star = surface.oneRingOf(from);
  return surface.tryEdit(surface.createEditRegion(star), () => {
    for (const triangle of star) {
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
