import type { ProjectedMesh } from './camera.js';

/** Consecutive rows of samples of an image, with the visible surface at each sample. */
export interface Band {
  width: number;
  /** The index of the first row. */
  firstRow: number;
  /** The number of rows. */
  rows: number;
  /** sample → the depth of the visible surface, larger if nearer; `-Infinity` for the background */
  depth: Float32Array;
  /** sample → the visible triangle; `NO_TRIANGLE` for the background */
  triangleAt: Int32Array;
  /** sample → 1 if a boundary edge is drawn there */
  isEdge: Uint8Array;
}

/** The triangle of a background sample. */
export const NO_TRIANGLE = -1;

/** Depth by which back sides are moved away, in samples, so that the front side is visible at silhouettes. */
const BACKFACE_DEPTH_BIAS = 0.02;
/** Samples exactly on an edge belong to both triangles, so that there is no gap between them. */
const EDGE_EPSILON = 1e-6;

/** Creates a band of background samples. */
export function createBand(width: number, firstRow: number, rows: number): Band {
  const count = width * rows;
  return {
    width,
    firstRow,
    rows,
    depth: new Float32Array(count).fill(Number.NEGATIVE_INFINITY),
    triangleAt: new Int32Array(count).fill(NO_TRIANGLE),
    isEdge: new Uint8Array(count),
  };
}

/** Rasterizes all triangles into a band. Of two triangles at equal depth, the first is visible. */
export function rasterize(band: Band, { points, triangles }: ProjectedMesh): void {
  const top = band.firstRow;
  const bottom = top + band.rows - 1;
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const a = triangles[offset] * 3;
    const b = triangles[offset + 1] * 3;
    const c = triangles[offset + 2] * 3;
    const ay = points[a + 1];
    const by = points[b + 1];
    const cy = points[c + 1];
    const firstY = Math.max(top, Math.ceil(Math.min(ay, by, cy)));
    const lastY = Math.min(bottom, Math.floor(Math.max(ay, by, cy)));
    if (firstY > lastY) continue;
    const ax = points[a];
    const bx = points[b];
    const cx = points[c];
    const firstX = Math.max(0, Math.ceil(Math.min(ax, bx, cx)));
    const lastX = Math.min(band.width - 1, Math.floor(Math.max(ax, bx, cx)));
    if (firstX <= lastX) rasterizeTriangle(band, points, [a, b, c], offset / 3, [firstX, firstY, lastX, lastY]);
  }
}

function rasterizeTriangle(
  { width, firstRow, depth, triangleAt }: Band,
  points: Float32Array,
  [a, b, c]: readonly [number, number, number],
  triangle: number,
  [firstX, firstY, lastX, lastY]: readonly [number, number, number, number],
): void {
  const [ax, ay, az, bx, by, bz] = [points[a], points[a + 1], points[a + 2], points[b], points[b + 1], points[b + 2]];
  const [cx, cy, cz] = [points[c], points[c + 1], points[c + 2]];
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0) return; // seen edge-on
  const orientation = area > 0 ? 1 : -1; // y points down: -1 if the triangle faces the viewer
  const slopeX = ((bz - az) * (cy - ay) - (cz - az) * (by - ay)) / area;
  const slopeY = ((cz - az) * (bx - ax) - (bz - az) * (cx - ax)) / area;
  const nearest = Math.max(az, bz, cz);
  const farthest = Math.min(az, bz, cz);
  const depthBias = orientation > 0 ? BACKFACE_DEPTH_BIAS : 0;
  for (let y = firstY; y <= lastY; y++) {
    let left = firstX;
    let right = lastX;
    for (let side = 0; side < 3; side++) {
      const [px, py, qx, qy] = side === 0 ? [ax, ay, bx, by] : side === 1 ? [bx, by, cx, cy] : [cx, cy, ax, ay];
      // Inside is where orientation * ((q - p) x (sample - p)) >= 0: that is k + m * x.
      const m = -orientation * (qy - py);
      const k = orientation * (qx - px) * (y - py) - m * px;
      if (m > 0) left = Math.max(left, Math.ceil(-k / m - EDGE_EPSILON));
      else if (m < 0) right = Math.min(right, Math.floor(-k / m + EDGE_EPSILON));
      else if (k < 0) right = -1;
    }
    const row = (y - firstRow) * width;
    for (let x = left; x <= right; x++) {
      const z = az + (x - ax) * slopeX + (y - ay) * slopeY;
      const sampleDepth = Math.min(nearest, Math.max(farthest, z)) - depthBias;
      if (sampleDepth <= depth[row + x]) continue;
      depth[row + x] = sampleDepth;
      triangleAt[row + x] = triangle;
    }
  }
}
