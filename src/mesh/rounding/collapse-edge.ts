import type { WorkingSurface } from '../intersections/working-surface.js';

/** Lets an edge vanish into one of its ends, where the surface stays closed and less is wrong then. Answers whether it did. */
export function collapseEdge(surface: WorkingSurface, from: number, to: number): boolean {
  const common = surface.neighboursOf(from).filter((vertex) => surface.neighboursOf(to).includes(vertex));
  // Both have two neighbours in common, those across the edge; else more than the edge would vanish.
  if (common.length !== 2 || (surface.starOf(from).length <= 3 && surface.starOf(to).length <= 3)) return false;
  return collapseInto(surface, from, to) || collapseInto(surface, to, from);
}

function collapseInto(surface: WorkingSurface, from: number, to: number): boolean {
  const star = surface.starOf(from);
  return surface.attempt(surface.groupOf(star), () => {
    for (const triangle of star) {
      const corners = [...surface.cornersOf(triangle)];
      if (corners.includes(to)) surface.takeOut(triangle);
      else
        surface.setCorners(
          triangle,
          corners.map((vertex) => (vertex === from ? to : vertex)),
        );
    }
    surface.vanish(from, to);
  });
}
