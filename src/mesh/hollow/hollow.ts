import { analyzeWithPlaces } from '../analysis/analyze.js';
import { computeBounds } from '../analysis/measure.js';
import type { AnalysisWithPlaces } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { createGridAround } from '../isosurface/grid.js';
import { isosurface } from '../isosurface/isosurface.js';
import { createLipschitzSampler } from '../isosurface/lipschitz-sampler.js';
import { reduceTriangles } from '../reduce/reduce-triangles.js';
import { createDepthField } from './depth-field.js';
import { dropSmallShells } from './drop-small-shells.js';

export interface HollowResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
  /** How many cavities it has now that it had not. */
  cavityCount: number;
  /** How thick the wall is where the surface is flat: a little more than was asked for, so that it is nowhere less. */
  flatWallMm: number;
}

// Cubes of the grid on the way through a wall: as many as make the wall 5 % thicker at flat places than at the worst ones.
const CUBES_PER_WALL = 3;
// The grid is made coarser where the inner surface would have more triangles than this, but to one cube a wall at most.
const MAX_INNER_TRIANGLES = 6e5;
// What an inner surface has in each of the squares of the grid, about.
const TRIANGLES_PER_SQUARE = 9;
// How much of the wanted thickness the inner surface may move when triangles are left out of it.
const SIMPLIFICATION_FRACTION = 0.03;
// A vertex of the isosurface is kept away from the corners of the grid: it may be off by this share of a cube.
const VERTEX_OFFSET_FRACTION = 0.035;

/**
 * The depth at which the field is cut so that no point of the inner surface is nearer to the outer one than `wallMm`. The square of a
 * distance, less that of the position, is concave; so in a tetrahedron it is nowhere less than the mean of the corners' by more than the
 * square of the radius of the sphere through them, which is three quarters of that of the cube's side.
 */
const isoDepth = (wallMm: number, stepMm: number): number =>
  Math.sqrt((wallMm * (1 + SIMPLIFICATION_FRACTION)) ** 2 + 0.75 * stepMm ** 2) + VERTEX_OFFSET_FRACTION * stepMm;

/**
 * Makes a solid hollow: the outer surface stays as it is, vertex for vertex, and a cavity is left wherever a point is deeper inside than the
 * wall is to be thick. The wall is nowhere thinner than `wallMm`. Cavities that are smaller than a cube of the wall's thickness stay filled.
 * Throws `NOT_SOLID` for a model that is none, `NOTHING_LEFT` where no cavity remains, `TOO_LARGE` where the wall is too thin for a model of that size.
 * `analyzed`: the analysis of the mesh.
 */
export function hollow(
  mesh: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  wallMm: number,
  onProgress?: OnProgress,
): HollowResult {
  const { level } = verdictOf(analyzed.analysis);
  if (level !== 'solid') throw new MeshError('NOT_SOLID', `The model is no solid but ${level}: repair it first`);
  const box = computeBounds(mesh.positions);
  const stepMm = chooseStep(analyzed.analysis.surfaceAreaMm2, wallMm);
  const flatWallMm = isoDepth(wallMm, stepMm);
  const depthAt = createDepthField(mesh, wallMm);
  const grid = createGridAround(box, stepMm, stepMm);
  // Below zero in the cavity.
  const sample = createLipschitzSampler(grid, (x, y, z) => flatWallMm - depthAt(x, y, z));
  const cavities = isosurface(grid, sample, (progress) => onProgress?.(progress * 0.6));
  const kept = dropSmallShells(cavities, wallMm ** 3);
  if (kept.triangles.length === 0) {
    const message = `No cavity remains within walls of ${wallMm} mm: the model is too thin for them`;
    throw new MeshError('NOTHING_LEFT', message);
  }
  const inner = reduceTriangles(kept, analyzeWithPlaces(kept), {
    accuracyMm: wallMm * SIMPLIFICATION_FRACTION,
    maxAngle: 60,
    numberOfIterations: 1,
    onProgress: (progress) => onProgress?.(0.6 + progress * 0.3),
  });
  const result = combineSurfaces(mesh, inner.mesh);
  const after = analyzeWithPlaces(result);
  return { mesh: result, analyzed: after, cavityCount: inner.analyzed.analysis.shells, flatWallMm };
}

/** The side of the grid's cubes: fine enough for the wall, coarse enough for the memory. */
function chooseStep(areaMm2: number, wallMm: number): number {
  const minStepMm = Math.sqrt((areaMm2 * TRIANGLES_PER_SQUARE) / MAX_INNER_TRIANGLES);
  if (minStepMm > wallMm) {
    const message = `Walls of ${wallMm} mm are too thin for a model of this size: ask for ${minStepMm.toPrecision(2)} mm at least`;
    throw new MeshError('TOO_LARGE', message);
  }
  return Math.max(wallMm / CUBES_PER_WALL, minStepMm);
}

/** The outer surface, then the inner one, which faces the cavity: away from the material. */
function combineSurfaces(outer: IndexedMesh, inner: IndexedMesh): IndexedMesh {
  const first = outer.positions.length / 3;
  const positions = new Float64Array(outer.positions.length + inner.positions.length);
  positions.set(outer.positions);
  positions.set(inner.positions, outer.positions.length);
  const triangles = new Uint32Array(outer.triangles.length + inner.triangles.length);
  triangles.set(outer.triangles);
  for (let offset = 0; offset < inner.triangles.length; offset += 3) {
    const to = outer.triangles.length + offset;
    triangles[to] = inner.triangles[offset] + first;
    triangles[to + 1] = inner.triangles[offset + 2] + first;
    triangles[to + 2] = inner.triangles[offset + 1] + first;
  }
  const { objects } = outer;
  return { positions, triangles, ...(objects && { objects }) };
}
