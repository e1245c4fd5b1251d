import type { ScenePart } from './reading/scene.js';

/**
 * Returns a part with only the points that its corners use, in order of first use. A point list shared by many parts is
 * then not transformed once per part.
 */
export function dropUnusedPoints({ points, corners }: ScenePart): ScenePart {
  const pointCount = points.length / 3;
  // old point → new point + 1; 0 if it has none yet
  const newPointOf = new Uint32Array(pointCount);
  const usedPoints = new Float64Array(Math.min(points.length, corners.length * 3));
  let count = 0;
  const renumbered = Float64Array.from(corners, (point) => {
    if (!(point >= 0 && point < pointCount)) return Number.NaN;
    if (newPointOf[point] === 0) {
      for (let k = 0; k < 3; k++) usedPoints[count * 3 + k] = points[point * 3 + k];
      newPointOf[point] = ++count;
    }
    return newPointOf[point] - 1;
  });
  return { points: usedPoints.slice(0, count * 3), corners: renumbered };
}
