import type { ScenePart } from './scene.js';

/** The part with the points that its corners use, in the order of first use: what many parts share is not placed with each. */
export function dropUnusedPoints({ points, corners }: ScenePart): ScenePart {
  const pointCount = points.length / 3;
  // old point → new point + 1; 0 where it has none yet
  const newPointOf = new Uint32Array(pointCount);
  const used = new Float64Array(Math.min(points.length, corners.length * 3));
  let count = 0;
  const renumbered = Float64Array.from(corners, (point) => {
    if (!(point >= 0 && point < pointCount)) return Number.NaN;
    if (newPointOf[point] === 0) {
      for (let k = 0; k < 3; k++) used[count * 3 + k] = points[point * 3 + k];
      newPointOf[point] = ++count;
    }
    return newPointOf[point] - 1;
  });
  return { points: used.slice(0, count * 3), corners: renumbered };
}
