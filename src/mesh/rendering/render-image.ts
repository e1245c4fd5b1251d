import type { IndexedMesh } from '../core/mesh.js';
import { buildEdges, findBoundaryHalfEdges } from '../topology/edges.js';
import { ambientVisibility, createOcclusionTaps } from './ambient-occlusion.js';
import { type CameraAngles, type ProjectedMesh, projectMesh } from './camera.js';
import { drawEdges } from './draw-edges.js';
import { BACKGROUND, COLORS, type LinearRgb, linearToSrgb, shade } from './shade.js';
import { SmoothNormals } from './smooth-normals.js';
import { type Band, createBand, NO_TRIANGLE, rasterize } from './z-buffer.js';

export interface RenderOptions {
  /** In pixels. */
  width: number;
  height: number;
  /** How the model is turned. */
  angles: CameraAngles;
  /** Whether nothing is drawn behind the model. Default: a light grey. */
  isTransparent?: boolean;
  /** How much is held at a time: it changes nothing of the picture. Default: 6 million. */
  samplesPerBand?: number;
}

/** A picture: four bytes a pixel, red, green, blue (sRGB) and opacity, row by row from the top. */
export interface RasterImage {
  width: number;
  height: number;
  pixels: Uint8Array;
}

// Samples of a band: what is held at a time is bounded, however large the picture.
const SAMPLES_PER_BAND = 6e6;
// Small pictures can afford more samples a pixel, along each axis.
const MAX_PIXELS_FOR_3X = 800_000;
// How far a surface takes light from another one: of the picture's shorter side, and in pixels.
const OCCLUSION_RADIUS_FRACTION = 0.05;
const MAX_OCCLUSION_RADIUS = 40;
// Half the width of an open edge: of the picture's shorter side, and in pixels.
const EDGE_WIDTH_FRACTION = 0.0022;
const MIN_EDGE_WIDTH = 0.75;

/** A model on its way into a picture. */
interface RenderState {
  model: ProjectedMesh;
  normals: SmoothNormals;
  openEdges: readonly number[];
  /** Samples a pixel, along each axis. */
  supersampling: number;
  /** In samples. */
  taps: Int32Array;
  occlusionRadius: number;
  edgeRadius: number;
}

/**
 * Draws a model, shaded, with smooth outlines: fronts blue-grey, backs orange, open edges red. The model fills the picture but for a margin.
 * The same model gives the same picture. A mesh without triangles gives the background.
 */
export function renderImage(
  mesh: IndexedMesh,
  { width, height, angles, isTransparent = false, samplesPerBand = SAMPLES_PER_BAND }: RenderOptions,
): RasterImage {
  const supersampling = width * height <= MAX_PIXELS_FOR_3X ? 3 : 2;
  const model = projectMesh(mesh, angles, width * supersampling, height * supersampling);
  const side = Math.min(width, height);
  const occlusionRadius = Math.min(MAX_OCCLUSION_RADIUS, side * OCCLUSION_RADIUS_FRACTION) * supersampling;
  const drawing: RenderState = {
    model,
    normals: new SmoothNormals(model),
    openEdges: findBoundaryHalfEdges(buildEdges(mesh.triangles, mesh.positions.length / 3)),
    supersampling,
    taps: createOcclusionTaps(occlusionRadius),
    occlusionRadius,
    edgeRadius: Math.max(MIN_EDGE_WIDTH, side * EDGE_WIDTH_FRACTION) * supersampling,
  };
  const pixels = new Uint8Array(width * height * 4);
  const margin = Math.ceil(occlusionRadius / supersampling);
  const rowsAtOnce = Math.max(1, Math.floor(samplesPerBand / (width * supersampling * supersampling)) - 2 * margin);
  for (let row = 0; row < height; row += rowsAtOnce) {
    const end = Math.min(height, row + rowsAtOnce);
    const first = Math.max(0, row - margin) * supersampling;
    const band = createBand(width * supersampling, first, Math.min(height, end + margin) * supersampling - first);
    rasterize(band, model);
    drawEdges(band, model, drawing.openEdges, drawing.edgeRadius);
    for (let y = row; y < end; y++) {
      const background = isTransparent ? undefined : lerpLight(BACKGROUND.top, BACKGROUND.bottom, (y + 0.5) / height);
      for (let x = 0; x < width; x++) writePixel(drawing, band, x, y, background, pixels, (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}

// Numbers of the one pixel that is drawn at a time.
const normal = new Float64Array(3);
const sampleLight = new Float64Array(3);

/** Draws a pixel from its samples: the mean of their light, over the background by as many as show the model. */
function writePixel(
  drawing: RenderState,
  band: Band,
  x: number,
  y: number,
  background: LinearRgb | undefined,
  pixels: Uint8Array,
  offset: number,
): void {
  const { supersampling } = drawing;
  const sum = [0, 0, 0];
  let coveredCount = 0;
  let shaded = NO_TRIANGLE; // within a pixel a triangle looks the same
  let visibility = -1; // the light from all sides is the same for all samples of a pixel
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
      drawing.normals.normalAt(triangle, sampleX, sampleY, normal);
      const isFront = drawing.normals.isFront(triangle);
      faceViewer(normal, isFront);
      if (visibility < 0)
        visibility = ambientVisibility(band, sampleX, sampleY, normal, drawing.taps, drawing.occlusionRadius);
      shade(isFront ? COLORS.front : COLORS.back, normal, visibility, sampleLight);
      shaded = triangle;
    }
    for (let k = 0; k < 3; k++) sum[k] += sampleLight[k];
  }
  const coverage = coveredCount / (supersampling * supersampling);
  for (let k = 0; k < 3; k++) {
    const own = coveredCount === 0 ? 0 : sum[k] / coveredCount;
    pixels[offset + k] = linearToSrgb(background ? own * coverage + background[k] * (1 - coverage) : own);
  }
  pixels[offset + 3] = background ? 255 : Math.round(coverage * 255);
}

/** The normal on the side that is seen; a smooth one may lean away from the viewer at an outline, but the surface there does not. */
function faceViewer(normal: Float64Array, isFront: boolean): void {
  if (!isFront) for (let k = 0; k < 3; k++) normal[k] = -normal[k];
  normal[2] = Math.max(normal[2], 0);
}

const lerpLight = (a: LinearRgb, b: LinearRgb, t: number): LinearRgb => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
];
