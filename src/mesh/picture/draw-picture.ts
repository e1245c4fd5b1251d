import type { IndexedMesh } from '../mesh.js';
import { buildEdges, findBoundaryHalfEdges } from '../topology/edges.js';
import { type CameraAngles, type Projected, project } from './camera.js';
import { drawEdges } from './draw-edges.js';
import { lightAt, tapsWithin } from './occlusion.js';
import { BACKGROUND, COLOURS, type Light, shade, toScreen } from './shade.js';
import { SmoothNormals } from './smooth-normals.js';
import { type Band, createBand, fillBand, NOTHING } from './z-buffer.js';

export interface PictureOptions {
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
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

// Samples of a band: what is held at a time is bounded, however large the picture.
const SAMPLES_PER_BAND = 6e6;
// Small pictures can afford more samples a pixel, along each axis.
const FINE_PIXELS = 800_000;
// How far a surface takes light from another one: of the picture's shorter side, and in pixels.
const OCCLUSION_SHARE = 0.05;
const MOST_OCCLUSION = 40;
// Half the width of an open edge: of the picture's shorter side, and in pixels.
const EDGE_SHARE = 0.0022;
const LEAST_EDGE = 0.75;

/** A model on its way into a picture. */
interface Drawing {
  model: Projected;
  normals: SmoothNormals;
  openEdges: readonly number[];
  /** Samples a pixel, along each axis. */
  fineness: number;
  /** In samples. */
  taps: Int32Array;
  occlusionRadius: number;
  edgeRadius: number;
}

/**
 * Draws a model, shaded, with smooth outlines: fronts blue-grey, backs orange, open edges red. The model fills the picture but for a margin.
 * The same model gives the same picture. A mesh without triangles gives the background.
 */
export function drawPicture(
  mesh: IndexedMesh,
  { width, height, angles, isTransparent = false, samplesPerBand = SAMPLES_PER_BAND }: PictureOptions,
): Picture {
  const fineness = width * height <= FINE_PIXELS ? 3 : 2;
  const model = project(mesh, angles, width * fineness, height * fineness);
  const side = Math.min(width, height);
  const occlusionRadius = Math.min(MOST_OCCLUSION, side * OCCLUSION_SHARE) * fineness;
  const drawing: Drawing = {
    model,
    normals: new SmoothNormals(model),
    openEdges: findBoundaryHalfEdges(buildEdges(mesh.triangles, mesh.positions.length / 3)),
    fineness,
    taps: tapsWithin(occlusionRadius),
    occlusionRadius,
    edgeRadius: Math.max(LEAST_EDGE, side * EDGE_SHARE) * fineness,
  };
  const pixels = new Uint8Array(width * height * 4);
  const margin = Math.ceil(occlusionRadius / fineness);
  const rowsAtOnce = Math.max(1, Math.floor(samplesPerBand / (width * fineness * fineness)) - 2 * margin);
  for (let row = 0; row < height; row += rowsAtOnce) {
    const end = Math.min(height, row + rowsAtOnce);
    const first = Math.max(0, row - margin) * fineness;
    const band = createBand(width * fineness, first, Math.min(height, end + margin) * fineness - first);
    fillBand(band, model);
    drawEdges(band, model, drawing.openEdges, drawing.edgeRadius);
    for (let y = row; y < end; y++) {
      const background = isTransparent ? undefined : mixed(BACKGROUND.top, BACKGROUND.bottom, (y + 0.5) / height);
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
  drawing: Drawing,
  band: Band,
  x: number,
  y: number,
  background: Light | undefined,
  pixels: Uint8Array,
  at: number,
): void {
  const { fineness } = drawing;
  const sum = [0, 0, 0];
  let seen = 0;
  let shaded = NOTHING; // within a pixel a triangle looks the same
  let open = -1; // the light from all sides is the same for all samples of a pixel
  for (let sub = 0; sub < fineness * fineness; sub++) {
    const sampleX = x * fineness + (sub % fineness);
    const sampleY = y * fineness + Math.floor(sub / fineness);
    const sample = (sampleY - band.firstRow) * band.width + sampleX;
    const triangle = band.owner[sample];
    if (triangle === NOTHING && band.isEdge[sample] === 0) continue;
    seen++;
    if (band.isEdge[sample] === 1) {
      for (let k = 0; k < 3; k++) sum[k] += COLOURS.openEdge[k];
      continue;
    }
    if (triangle !== shaded) {
      drawing.normals.normalAt(triangle, sampleX, sampleY, normal);
      const isFront = drawing.normals.isFront(triangle);
      turnToViewer(normal, isFront);
      if (open < 0) open = lightAt(band, sampleX, sampleY, normal, drawing.taps, drawing.occlusionRadius);
      shade(isFront ? COLOURS.front : COLOURS.back, normal, open, sampleLight);
      shaded = triangle;
    }
    for (let k = 0; k < 3; k++) sum[k] += sampleLight[k];
  }
  const share = seen / (fineness * fineness);
  for (let k = 0; k < 3; k++) {
    const own = seen === 0 ? 0 : sum[k] / seen;
    pixels[at + k] = toScreen(background ? own * share + background[k] * (1 - share) : own);
  }
  pixels[at + 3] = background ? 255 : Math.round(share * 255);
}

/** The normal on the side that is seen; a smooth one may lean away from the viewer at an outline, but the surface there does not. */
function turnToViewer(normal: Float64Array, isFront: boolean): void {
  if (!isFront) for (let k = 0; k < 3; k++) normal[k] = -normal[k];
  normal[2] = Math.max(normal[2], 0);
}

const mixed = (a: Light, b: Light, share: number): Light => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];
