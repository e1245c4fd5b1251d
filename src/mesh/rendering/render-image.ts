import type { IndexedMesh } from '../core/mesh.js';
import { buildEdges, findBoundaryHalfEdges } from '../topology/edges.js';
import { ambientVisibility, createOcclusionTaps } from './ambient-occlusion.js';
import { type CameraAngles, type ProjectedMesh, projectMesh } from './camera.js';
import { drawEdges } from './draw-edges.js';
import { enlargeImage } from './enlarge-image.js';
import { chooseSampling, measureDrawing } from './sampling.js';
import { BACKGROUND, COLORS, type LinearRgb, linearToSrgb, shade } from './shade.js';
import { SmoothNormals } from './smooth-normals.js';
import { type Band, createBand, NO_TRIANGLE, rasterize } from './z-buffer.js';

export interface RenderOptions {
  /** In pixels. */
  width: number;
  height: number;
  /** The rotation of the model. */
  angles: CameraAngles;
  /** Leave the background transparent. Default: false, a light gray gradient. */
  isTransparent?: boolean;
  /** Samples in memory at a time. Does not affect the image. Default: 6 million. */
  samplesPerBand?: number;
}

/** An image with four bytes per pixel: red, green, blue (sRGB) and opacity, row by row from the top. */
export interface RasterImage {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Samples per band. Bounds the memory for images of any size. */
const SAMPLES_PER_BAND = 6e6;
/** Images of up to this many pixels use 3 instead of 2 samples per pixel along each axis. */
const MAX_PIXELS_FOR_3X = 800_000;
/** Radius of ambient occlusion, as a fraction of the shorter side of the image. */
const OCCLUSION_RADIUS_FRACTION = 0.05;
/** Maximum radius of ambient occlusion, in pixels. */
const MAX_OCCLUSION_RADIUS = 40;
/** Half the width of a boundary edge, as a fraction of the shorter side of the image. */
const EDGE_WIDTH_FRACTION = 0.0022;
/** Minimum half width of a boundary edge, in pixels. */
const MIN_EDGE_WIDTH = 0.75;

/** The model and the parameters of an image that is being rendered. */
interface RenderState {
  model: ProjectedMesh;
  normals: SmoothNormals;
  /** Boundary edges, as half-edges. */
  openEdges: readonly number[];
  /** Samples per pixel along each axis. */
  supersampling: number;
  /** Offsets for ambient occlusion. These and the radii are in samples. */
  taps: Int32Array;
  occlusionRadius: number;
  edgeRadius: number;
}

/**
 * Renders a shaded, antialiased image of a model: front sides blue-gray, back sides orange, boundary edges red. The
 * model fills the image except for a margin. Deterministic. A mesh without triangles gives the background. The work is
 * limited: if very many large triangles are behind each other, the image has fewer samples, and then larger pixels.
 */
export function renderImage(mesh: IndexedMesh, options: RenderOptions): RasterImage {
  const { width, height, angles } = options;
  const openEdges = findBoundaryHalfEdges(buildEdges(mesh.triangles, mesh.positions.length / 3));
  const finest = width * height <= MAX_PIXELS_FOR_3X ? 3 : 2;
  const model = projectMesh(mesh, angles, width * finest, height * finest);
  const drawing = measureDrawing(model, openEdges, edgeRadiusOf(width, height) * finest);
  const { supersampling, pixelSize } = chooseSampling(drawing, { width, height, finest });
  if (pixelSize > 1) {
    const [columns, rows] = [width, height].map((size) => Math.ceil(size / pixelSize));
    const coarse = renderSampled(mesh, openEdges, { ...options, width: columns, height: rows }, supersampling);
    return enlargeImage(coarse, width, height, pixelSize);
  }
  return renderSampled(mesh, openEdges, options, supersampling);
}

/** Returns half the width of boundary edges, in pixels. */
function edgeRadiusOf(width: number, height: number): number {
  return Math.max(MIN_EDGE_WIDTH, Math.min(width, height) * EDGE_WIDTH_FRACTION);
}

function renderSampled(
  mesh: IndexedMesh,
  openEdges: readonly number[],
  { width, height, angles, isTransparent = false, samplesPerBand = SAMPLES_PER_BAND }: RenderOptions,
  supersampling: number,
): RasterImage {
  const model = projectMesh(mesh, angles, width * supersampling, height * supersampling);
  const side = Math.min(width, height);
  const occlusionRadius = Math.min(MAX_OCCLUSION_RADIUS, side * OCCLUSION_RADIUS_FRACTION) * supersampling;
  const state: RenderState = {
    model,
    normals: new SmoothNormals(model),
    openEdges,
    supersampling,
    taps: createOcclusionTaps(occlusionRadius),
    occlusionRadius,
    edgeRadius: edgeRadiusOf(width, height) * supersampling,
  };
  const pixels = new Uint8Array(width * height * 4);
  const margin = Math.ceil(occlusionRadius / supersampling);
  const rowsPerBand = Math.max(1, Math.floor(samplesPerBand / (width * supersampling * supersampling)) - 2 * margin);
  for (let row = 0; row < height; row += rowsPerBand) {
    const end = Math.min(height, row + rowsPerBand);
    const first = Math.max(0, row - margin) * supersampling;
    const band = createBand(width * supersampling, first, Math.min(height, end + margin) * supersampling - first);
    rasterize(band, model);
    drawEdges(band, model, state.openEdges, state.edgeRadius);
    for (let y = row; y < end; y++) {
      const background = isTransparent ? undefined : lerpLight(BACKGROUND.top, BACKGROUND.bottom, (y + 0.5) / height);
      for (let x = 0; x < width; x++) writePixel(state, band, x, y, background, pixels, (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}

// Reused for every pixel, to avoid allocation.
const normal = new Float64Array(3);
const sampleLight = new Float64Array(3);

/** Writes a pixel: the mean light of its covered samples, blended over the background by their coverage. */
function writePixel(
  state: RenderState,
  band: Band,
  x: number,
  y: number,
  background: LinearRgb | undefined,
  pixels: Uint8Array,
  offset: number,
): void {
  const { supersampling } = state;
  const sum = [0, 0, 0];
  let coveredCount = 0;
  let shaded = NO_TRIANGLE; // a triangle is shaded once per pixel
  let visibility = -1; // computed once per pixel
  for (let sub = 0; sub < supersampling * supersampling; sub++) {
    const sampleX = x * supersampling + (sub % supersampling);
    const sampleY = y * supersampling + Math.floor(sub / supersampling);
    const sample = (sampleY - band.firstRow) * band.width + sampleX;
    const triangle = band.triangleAt[sample];
    if (triangle === NO_TRIANGLE && band.isEdge[sample] === 0) continue;
    coveredCount++;
    if (band.isEdge[sample] === 1) {
      for (let k = 0; k < 3; k++) sum[k] += COLORS.openEdge[k];
      continue;
    }
    if (triangle !== shaded) {
      state.normals.normalAt(triangle, sampleX, sampleY, normal);
      const isFront = state.normals.isFront(triangle);
      faceViewer(normal, isFront);
      if (visibility < 0)
        visibility = ambientVisibility(band, sampleX, sampleY, normal, state.taps, state.occlusionRadius);
      shade(isFront ? COLORS.front : COLORS.back, normal, visibility, sampleLight);
      shaded = triangle;
    }
    for (let k = 0; k < 3; k++) sum[k] += sampleLight[k];
  }
  const coverage = coveredCount / (supersampling * supersampling);
  for (let k = 0; k < 3; k++) {
    const color = coveredCount === 0 ? 0 : sum[k] / coveredCount;
    pixels[offset + k] = linearToSrgb(background ? color * coverage + background[k] * (1 - coverage) : color);
  }
  pixels[offset + 3] = background ? 255 : Math.round(coverage * 255);
}

/**
 * Orients a normal toward the viewer. An interpolated normal at a silhouette may point away from the viewer, although
 * the visible surface does not.
 */
function faceViewer(normal: Float64Array, isFront: boolean): void {
  if (!isFront) for (let k = 0; k < 3; k++) normal[k] = -normal[k];
  normal[2] = Math.max(normal[2], 0);
}

function lerpLight(a: LinearRgb, b: LinearRgb, t: number): LinearRgb {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}
