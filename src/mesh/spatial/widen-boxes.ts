import type { Boxes, Bvh } from './bvh.js';

/** Returns a copy of a BVH with boxes that are wider by `marginMm` on each side, to find pairs that nearly touch. */
export function widenBoxes(tree: Bvh, marginMm: number): Bvh {
  const widen = (boxes: Boxes) => boxes.map((value, i) => (i % 6 < 3 ? value - marginMm : value + marginMm));
  return { ...tree, nodeBoxes: widen(tree.nodeBoxes), boxes: widen(tree.boxes) };
}
