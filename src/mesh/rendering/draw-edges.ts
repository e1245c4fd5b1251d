import { nextOf } from '../topology/half-edge.js';
import type { ProjectedMesh } from './camera.js';
import type { Band } from './z-buffer.js';

/**
 * Marks the samples near edges that are not occluded. `halfEdges`: the edges, as half-edges of the model. `radius`:
 * half the width of a line, in samples. An edge up to `2 * radius` behind a surface is drawn too, since it bounds a
 * surface itself.
 */
export function drawEdges(
  band: Band,
  { points, triangles }: ProjectedMesh,
  halfEdges: ArrayLike<number>,
  radius: number,
): void {
  for (let i = 0; i < halfEdges.length; i++) {
    const a = triangles[halfEdges[i]] * 3;
    const b = triangles[nextOf(halfEdges[i])] * 3;
    drawLine(band, points, a, b, radius);
  }
}

function drawLine(band: Band, points: Float32Array, a: number, b: number, radius: number): void {
  const [ax, ay, az] = [points[a], points[a + 1], points[a + 2]];
  const [dx, dy, dz] = [points[b] - ax, points[b + 1] - ay, points[b + 2] - az];
  const square = dx * dx + dy * dy;
  const top = Math.max(band.firstRow, Math.ceil(Math.min(ay, ay + dy) - radius));
  const bottom = Math.min(band.firstRow + band.rows - 1, Math.floor(Math.max(ay, ay + dy) + radius));
  for (let y = top; y <= bottom; y++) {
    // The part of the line within `radius` of this row.
    const parameters =
      dy === 0 ? [0, 1] : [(y - radius - ay) / dy, (y + radius - ay) / dy].map((t) => Math.min(1, Math.max(0, t)));
    const ends = parameters.map((t) => ax + t * dx);
    const left = Math.max(0, Math.ceil(Math.min(ends[0], ends[1]) - radius));
    const right = Math.min(band.width - 1, Math.floor(Math.max(ends[0], ends[1]) + radius));
    for (let x = left; x <= right; x++) {
      const along = square === 0 ? 0 : ((x - ax) * dx + (y - ay) * dy) / square;
      const t = Math.min(1, Math.max(0, along));
      const squaredDistance = (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2;
      if (squaredDistance > radius * radius) continue;
      const sample = (y - band.firstRow) * band.width + x;
      if (az + t * dz >= band.depth[sample] - radius * 2) band.isEdge[sample] = 1;
    }
  }
}
