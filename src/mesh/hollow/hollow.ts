import { analyzeWithPlaces } from '../analysis/analyze.js';
import type { AnalysisWithPlaces } from '../analysis/report.js';
import { selectShells } from '../analysis/select-shells.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { computeBounds } from '../geometry/bounds.js';
import { isosurface } from '../isosurface/isosurface.js';
import { createLipschitzSampler } from '../isosurface/lipschitz-sampler.js';
import { createGridAround } from '../spatial/grid.js';
import { reverseWinding } from '../topology/reverse-winding.js';
import { createDepthField } from './depth-field.js';

/** Simplifies a solid to within `accuracyMm`, with `maxAngle` in degrees. Returns it with its analysis. */
export type SolidReducer = (
  solid: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  limits: { accuracyMm: number; maxAngle: number; numberOfIterations: number; onProgress: OnProgress },
) => { mesh: IndexedMesh; analyzed: AnalysisWithPlaces };

export interface HollowOptions {
  wallMm: number;
  /** Simplifies the inner surface. */
  reduce: SolidReducer;
  onProgress?: OnProgress | undefined;
}

export interface HollowResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
  /** Number of cavities that were created. */
  cavityCount: number;
  /** Wall thickness where the surface is flat. It is a little larger than requested, so that no wall is thinner. */
  flatWallMm: number;
}

/** Cubes of the grid per wall thickness. With three, walls on flat areas are 5 % thicker than the thinnest walls. */
const CUBES_PER_WALL = 3;
/**
 * The grid is coarser if the inner surface would have more triangles than this, down to one cube per wall thickness.
 */
const MAX_INNER_TRIANGLES = 6e5;
/** Approximate number of triangles of the inner surface per square of the grid. */
const TRIANGLES_PER_SQUARE = 9;
/** Accuracy of the reduction of the inner surface, as a fraction of the wall thickness. */
const SIMPLIFICATION_FRACTION = 0.03;
/**
 * Maximum displacement of an isosurface vertex, which is kept away from the corners of the grid, as a fraction of a
 * cube.
 */
const VERTEX_OFFSET_FRACTION = 0.035;

/**
 * Computes the isovalue of the depth at which no point of the inner surface is closer to the outer one than `wallMm`.
 * The squared distance minus the squared position is concave. In a tetrahedron the squared distance is therefore below
 * the interpolated one by at most the squared circumradius, which is 3/4 of the squared side of the cube.
 */
function computeIsoDepth(wallMm: number, stepMm: number): number {
  return (
    Math.sqrt((wallMm * (1 + SIMPLIFICATION_FRACTION)) ** 2 + 0.75 * stepMm ** 2) + VERTEX_OFFSET_FRACTION * stepMm
  );
}

/**
 * Hollows a solid: keeps the outer surface unchanged and adds a cavity at the points that are deeper than the wall
 * thickness, as an isosurface of the depth. No wall is thinner than `wallMm`. Cavities smaller than a cube of the wall
 * thickness stay filled. `analyzed`: the analysis of the mesh.
 *
 * @throws MeshError `NOT_SOLID` if the mesh is not a solid, `NOTHING_LEFT` if no cavity remains, `TOO_LARGE` if the
 * wall is too thin for the size of the model
 */
export function hollow(
  mesh: IndexedMesh,
  analyzed: AnalysisWithPlaces,
  { wallMm, reduce, onProgress }: HollowOptions,
): HollowResult {
  const { level } = verdictOf(analyzed.analysis);
  if (level !== 'solid')
    throw new MeshError('NOT_SOLID', `Could not hollow the model: it is ${level}, not solid. Repair it first.`);
  const box = computeBounds(mesh.positions);
  const stepMm = chooseStep(analyzed.analysis.surfaceAreaMm2, wallMm);
  const flatWallMm = computeIsoDepth(wallMm, stepMm);
  const depthAt = createDepthField(mesh, wallMm);
  const grid = createGridAround(box, stepMm, stepMm);
  // The field is negative in the cavity.
  const sample = createLipschitzSampler(grid, (x, y, z) => flatWallMm - depthAt(x, y, z));
  const cavities = isosurface(grid, sample, (progress) => onProgress?.(progress * 0.6));
  // Small cavities, and small bodies in a cavity, are artifacts of the grid.
  const kept = selectShells(cavities, (_, volumeMm3) => Math.abs(volumeMm3) >= wallMm ** 3);
  if (kept.triangles.length === 0) {
    const message = `Could not hollow the model: no cavity remains within walls of ${wallMm} mm. Use thinner walls.`;
    throw new MeshError('NOTHING_LEFT', message);
  }
  const inner = reduce(kept, analyzeWithPlaces(kept), {
    accuracyMm: wallMm * SIMPLIFICATION_FRACTION,
    maxAngle: 60,
    numberOfIterations: 1,
    onProgress: (progress) => onProgress?.(0.6 + progress * 0.3),
  });
  const result = combineSurfaces(mesh, inner.mesh);
  const after = analyzeWithPlaces(result);
  return { mesh: result, analyzed: after, cavityCount: inner.analyzed.analysis.shells, flatWallMm };
}

/**
 * Chooses the side of the grid's cubes: at most a third of the wall thickness, unless that exceeds the triangle limit.
 */
function chooseStep(areaMm2: number, wallMm: number): number {
  const minStepMm = Math.sqrt((areaMm2 * TRIANGLES_PER_SQUARE) / MAX_INNER_TRIANGLES);
  if (minStepMm > wallMm) {
    const reason = `walls of ${wallMm} mm are too thin for its size`;
    const remedy = `Use at least ${minStepMm.toPrecision(2)} mm.`;
    throw new MeshError('TOO_LARGE', `Could not hollow the model: ${reason}. ${remedy}`);
  }
  return Math.max(wallMm / CUBES_PER_WALL, minStepMm);
}

/** Combines the outer surface with the inner one, inverted so that it faces the cavity. */
function combineSurfaces(outer: IndexedMesh, inner: IndexedMesh): IndexedMesh {
  const first = outer.positions.length / 3;
  const positions = new Float64Array(outer.positions.length + inner.positions.length);
  positions.set(outer.positions);
  positions.set(inner.positions, outer.positions.length);
  const triangles = new Uint32Array(outer.triangles.length + inner.triangles.length);
  triangles.set(outer.triangles);
  triangles.set(
    inner.triangles.map((vertex) => vertex + first),
    outer.triangles.length,
  );
  for (let triangle = outer.triangles.length / 3; triangle * 3 < triangles.length; triangle++)
    reverseWinding(triangles, triangle);
  const { objects } = outer;
  return { positions, triangles, ...(objects && { objects }) };
}
