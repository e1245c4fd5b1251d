import { analyzeWithPlaces } from '../analysis/analyze.js';
import type { AnalysisWithPlaces } from '../analysis/report.js';
import { selectShells } from '../analysis/select-shells.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { computeBounds } from '../geometry/bounds.js';
import { createGridAround } from '../spatial/grid.js';
import { createLattice } from '../spatial/lattice.js';
import { reverseWinding } from '../topology/reverse-winding.js';
import { extractCavitySurface } from './cavity-surface.js';

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

/** Cubes of the grid per wall thickness. With three, walls on flat areas are 8 % thicker than requested. */
const CUBES_PER_WALL = 3;
/** With the minimum, walls on flat areas are 37 % thicker than requested. */
const MIN_CUBES_PER_WALL = 1.1;
/**
 * The grid is coarser if the inner surface would have more triangles than this, down to `MIN_CUBES_PER_WALL`.
 */
const MAX_INNER_TRIANGLES = 3e5;
/** Approximate number of triangles of the inner surface per square of the grid. */
const TRIANGLES_PER_SQUARE = 3;
/** Accuracy of the reduction of the inner surface, as a fraction of the wall thickness. */
const SIMPLIFICATION_FRACTION = 0.03;
/**
 * Squared radius of the circle around a triangle of the inner surface, in squared cubes. Where a triangle is larger, the
 * wall is thicker.
 */
const SQUARED_TRIANGLE_RADIUS = 1;

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
  // The reduction moves the inner surface outward by up to its accuracy.
  const minDepthMm = wallMm * (1 + SIMPLIFICATION_FRACTION);
  // At this depth, the corners of a triangle suffice for all its points: see `extractCavitySurface`.
  const flatWallMm = Math.sqrt(minDepthMm ** 2 + SQUARED_TRIANGLE_RADIUS * stepMm ** 2);
  const lattice = createLattice(createGridAround(box, stepMm, stepMm));
  const depths = { isoDepthMm: flatWallMm, minDepthMm };
  const cavities = extractCavitySurface(mesh, lattice, depths, (progress) => onProgress?.(progress * 0.6));
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
  const minWallMm = minStepMm * MIN_CUBES_PER_WALL;
  if (minWallMm > wallMm) {
    const reason = `walls of ${wallMm} mm are too thin for its size`;
    const remedy = `Use at least ${minWallMm.toPrecision(2)} mm.`;
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
