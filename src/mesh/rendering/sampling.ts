import { nextOf } from '../topology/half-edge.js';
import type { ProjectedMesh } from './camera.js';

/** What drawing a model takes, at one sampling. */
export interface Drawing {
  /** The samples in all triangles and lines, also in those that are not visible. */
  sampleCount: number;
  /** The rows of samples of all triangles and lines. */
  rowCount: number;
  elementCount: number;
}

/** The samples and the pixels of an image. */
export interface Sampling {
  /** Samples per pixel along each axis. */
  supersampling: number;
  /** The side of the squares that have the same color, in pixels. 1 unless the work exceeds the limit. */
  pixelSize: number;
}

/** The work for a row of a triangle or a line, and for a triangle or a line, in samples. */
const WORK_PER_ROW = 12;
const WORK_PER_ELEMENT = 8;
/** The limit of the work: one to three seconds. Only models with hundreds of large triangles behind each other exceed it. */
export const MAX_WORK = 3e8;
/** The limit for large images: so many samples of triangles for each sample of the image. */
export const MAX_WORK_PER_SAMPLE = 16;
/** An image keeps at least so many squares along its longer side. */
const MIN_SQUARES = 16;

/** Measures what drawing a model takes. `edges`: half-edges that are drawn as lines. `radius`: half their width, in samples. */
export function measureDrawing(
  { points, triangles }: ProjectedMesh,
  edges: ArrayLike<number>,
  radius: number,
): Drawing {
  let [sampleCount, rowCount] = [0, 0];
  for (let corner = 0; corner < triangles.length; corner += 3) {
    const [a, b, c] = [triangles[corner] * 3, triangles[corner + 1] * 3, triangles[corner + 2] * 3];
    const [ux, uy] = [points[b] - points[a], points[b + 1] - points[a + 1]];
    const [vx, vy] = [points[c] - points[a], points[c + 1] - points[a + 1]];
    sampleCount += Math.abs(ux * vy - uy * vx) / 2;
    rowCount += Math.max(0, uy, vy) - Math.min(0, uy, vy);
  }
  for (let i = 0; i < edges.length; i++) {
    const [a, b] = [triangles[edges[i]] * 3, triangles[nextOf(edges[i])] * 3];
    const [dx, dy] = [Math.abs(points[b] - points[a]), Math.abs(points[b + 1] - points[a + 1])];
    sampleCount += (dx + dy + 2 * radius) * (2 * radius + 1);
    rowCount += dy + 2 * radius;
  }
  return { sampleCount, rowCount, elementCount: triangles.length / 3 + edges.length };
}

/** Returns the work of a drawing if its scale is changed by `factor`, in samples. */
export function computeWork({ sampleCount, rowCount, elementCount }: Drawing, factor = 1): number {
  return sampleCount * factor * factor + WORK_PER_ROW * rowCount * factor + WORK_PER_ELEMENT * elementCount;
}

/** Returns the limit of the work for an image. */
export function maxWorkOf(sampleCount: number): number {
  return Math.max(MAX_WORK, MAX_WORK_PER_SAMPLE * sampleCount);
}

/**
 * Chooses the finest sampling whose work is within the limit, up to `finest` samples per pixel along each axis.
 * `drawing`: at `finest`.
 */
export function chooseSampling(
  drawing: Drawing,
  { width, height, finest }: { width: number; height: number; finest: number },
): Sampling {
  const isWithinLimit = (scale: number): boolean =>
    computeWork(drawing, scale / finest) <= maxWorkOf(width * height * scale * scale);
  for (let supersampling = finest; supersampling > 1; supersampling--) {
    if (isWithinLimit(supersampling)) return { supersampling, pixelSize: 1 };
  }
  let pixelSize = 1;
  while (!isWithinLimit(1 / pixelSize) && Math.max(width, height) / pixelSize > MIN_SQUARES) pixelSize *= 2;
  return { supersampling: 1, pixelSize };
}
