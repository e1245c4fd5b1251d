import { analyzeWithPlaces } from '../analysis/analyze.js';
import type { AnalysisWithPlaces } from '../analysis/report.js';
import { selectShells } from '../analysis/select-shells.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { computeBounds } from '../geometry/bounds.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { createGridAround } from '../spatial/grid.js';
import { createLattice } from '../spatial/lattice.js';
import { createMeshIndex } from '../spatial/mesh-index.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { reverseTriangles } from '../topology/reverse-winding.js';
import { chooseDistanceSource } from './choose-distance-source.js';
import type { CavityHoles } from './choose-holes.js';
import type { OffsetSide } from './depth-field.js';
import { drainCavities } from './drain-cavities.js';
import type { UpAxis } from './find-pools.js';
import { extractOffsetSurface } from './offset-surface.js';
import { selectOutermostShells } from './outermost-shells.js';

/** Simplifies a mesh that is a solid by construction to within `accuracyMm`, with `maxAngle` in degrees. */
export type SolidReducer = (
  solid: IndexedMesh,
  limits: { accuracyMm: number; maxAngle: number; numberOfIterations: number; onProgress: OnProgress },
) => IndexedMesh;

/**
 * Where the walls are. `inward`: inside the model, whose outer surface stays. `outward`: around the model, which becomes
 * the cavity.
 */
export type HollowDirection = 'inward' | 'outward';

export interface HollowOptions {
  wallMm: number;
  /** Default: `inward`. */
  direction?: HollowDirection;
  /** Drain holes to make. Default: none. */
  drainHoles?: { countPerCavity: number; diameterMm: number; upAxis: UpAxis } | undefined;
  /** Simplifies the new surface. */
  reduce: SolidReducer;
  onProgress?: OnProgress | undefined;
}

export interface HollowResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
  /** Number of cavities that were created. */
  cavityCount: number;
  /** Number of bodies in the cavities that no wall connects with the rest, such as the wall around a void of the model. */
  looseBodyCount: number;
  /** The drain holes of each cavity, largest cavity first. Empty if none were requested. */
  drainHoles: CavityHoles[];
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
/** Cubes of the grid between a shell around the model and the end of the grid. */
const OUTER_MARGIN_STEPS = 4;
/** Accuracy of the reduction of the inner surface, as a fraction of the wall thickness. */
const SIMPLIFICATION_FRACTION = 0.03;
/** Accuracy of the surface that distances are measured from if the model has too many triangles at one place, likewise. */
const SOURCE_FRACTION = 0.01;
/**
 * Squared radius of the circle around a triangle of the inner surface, in squared cubes. Where a triangle is larger, the
 * wall is thicker.
 */
const SQUARED_TRIANGLE_RADIUS = 1;

/**
 * Hollows a solid: keeps its outer surface unchanged and adds cavities at the points that are deeper than the wall
 * thickness, as an isosurface of the depth. Outward: its outer surface becomes the surface of the cavities, and an
 * isosurface of the distance becomes the new outer surface. What is inside the model is dropped then. No wall is thinner
 * than `wallMm`, except around drain holes. Cavities smaller than a cube of the wall thickness stay filled. `analyzed`:
 * the analysis of the mesh.
 *
 * @throws MeshError `NOT_SOLID` if the mesh is not a solid, `NOTHING_LEFT` if no cavity remains, `TOO_LARGE` if the
 * wall is too thin for the size of the model
 */
export function hollow(mesh: IndexedMesh, analyzed: AnalysisWithPlaces, options: HollowOptions): HollowResult {
  const { level } = verdictOf(analyzed.analysis);
  if (level !== 'solid')
    throw new MeshError('NOT_SOLID', `Could not hollow the model: it is ${level}, not solid. Repair it first.`);
  const { wallMm, drainHoles, onProgress } = options;
  const stepMm = chooseStep(analyzed.analysis.surfaceAreaMm2, wallMm);
  const { solid, outer, cavity, flatWallMm } =
    options.direction === 'outward' ? addShell(mesh, stepMm, options) : addCavities(mesh, stepMm, options);
  const toObject = (result: IndexedMesh) => extendObject(result, mesh.objects);
  const counts = countShells(cavity);
  if (drainHoles === undefined)
    return { mesh: toObject(solid), analyzed: analyzeWithPlaces(solid), ...counts, drainHoles: [], flatWallMm };
  const drained = drainCavities(solid, outer(), cavity, {
    ...drainHoles,
    wallMm,
    onProgress: (progress) => onProgress?.(0.9 + progress * 0.1),
  });
  const { mesh: drainedMesh, analyzed: after, cavities } = drained;
  return { mesh: toObject(drainedMesh), analyzed: after, ...counts, drainHoles: cavities, flatWallMm };
}

/** Returns a mesh with the only object of its source, which takes in its cavities. Several objects are united to none. */
function extendObject({ positions, triangles }: IndexedMesh, objects: IndexedMesh['objects']): IndexedMesh {
  const [object, ...others] = objects ?? [];
  if (!object || others.length > 0) return { positions, triangles };
  return { positions, triangles, objects: [{ ...object, firstTriangle: 0, triangleCount: triangles.length / 3 }] };
}

/** Counts the shells of the surface of cavities. One that faces the cavity around it bounds a body. */
function countShells(cavity: IndexedMesh): Pick<HollowResult, 'cavityCount' | 'looseBodyCount'> {
  const { shellOf, count } = createMeshIndex(cavity).shells();
  const cavityCount = measureGroups(cavity, shellOf, count).volumeMm3.filter((volume) => volume > 0).length;
  return { cavityCount, looseBodyCount: count - cavityCount };
}

/** A solid with cavities. */
interface HollowSolid {
  solid: IndexedMesh;
  /** Returns the outermost shells. */
  outer: () => IndexedMesh;
  /** The surface of the cavities, facing away from them. */
  cavity: IndexedMesh;
  flatWallMm: number;
}

/** Adds cavities within a solid. */
function addCavities(mesh: IndexedMesh, stepMm: number, options: HollowOptions): HollowSolid {
  const { wallMm } = options;
  const { surface, flatWallMm } = createOffset(mesh, 'inside', stepMm, options, (cavities) =>
    // Small cavities, and small bodies in a cavity, are artifacts of the grid.
    selectShells(cavities, (_, volumeMm3) => Math.abs(volumeMm3) >= wallMm ** 3),
  );
  const solid = combineSurfaces(mesh, reverseMesh(surface));
  return { solid, outer: () => selectOutermostShells(mesh), cavity: surface, flatWallMm };
}

/** Adds a shell around a solid, which becomes a cavity. */
function addShell(mesh: IndexedMesh, stepMm: number, options: HollowOptions): HollowSolid {
  const cavity = selectOutermostShells(mesh);
  // Gaps in the model that the shell closes are filled.
  const { surface, flatWallMm } = createOffset(cavity, 'outside', stepMm, options, selectOutermostShells);
  return { solid: combineSurfaces(reverseMesh(cavity), surface), outer: () => surface, cavity, flatWallMm };
}

/** Creates the surface at the wall thickness from a solid, of the shells that `select` returns, and simplifies it. */
function createOffset(
  mesh: IndexedMesh,
  side: OffsetSide,
  stepMm: number,
  { wallMm, reduce, onProgress }: HollowOptions,
  select: (surface: IndexedMesh) => IndexedMesh,
): { surface: IndexedMesh; flatWallMm: number } {
  const limits = { maxAngle: 60, numberOfIterations: 1 };
  const sourceAccuracyMm = wallMm * SOURCE_FRACTION;
  const source = chooseDistanceSource(mesh, () =>
    reduce(mesh, { ...limits, accuracyMm: sourceAccuracyMm, onProgress: () => onProgress?.(0) }),
  );
  // The reduction moves the surface toward the solid's by up to its accuracy.
  const deviationMm = source === mesh ? 0 : sourceAccuracyMm;
  const minDistanceMm = wallMm * (1 + SIMPLIFICATION_FRACTION) + deviationMm;
  // At this distance, the corners of a triangle suffice for all its points: see `extractOffsetSurface`.
  const flatWallMm = Math.sqrt(minDistanceMm ** 2 + SQUARED_TRIANGLE_RADIUS * stepMm ** 2);
  const marginMm = side === 'inside' ? stepMm : flatWallMm + stepMm * OUTER_MARGIN_STEPS;
  const lattice = createLattice(createGridAround(computeBounds(mesh.positions), stepMm, marginMm));
  const surface = extractOffsetSurface(source, lattice, {
    ...{ side, minDistanceMm, isoDistanceMm: flatWallMm },
    onProgress: (progress) => onProgress?.(progress * 0.6),
  });
  const kept = select(surface);
  if (kept.triangles.length === 0) {
    const message = `Could not hollow the model: no cavity remains within walls of ${wallMm} mm. Use thinner walls.`;
    throw new MeshError('NOTHING_LEFT', message);
  }
  // An isosurface is a solid: only the reduced one is analyzed.
  const reduced = reduce(kept, {
    ...limits,
    accuracyMm: wallMm * SIMPLIFICATION_FRACTION,
    onProgress: (progress) => onProgress?.(0.6 + progress * 0.3),
  });
  return { surface: reduced, flatWallMm };
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

/** Returns a mesh that faces the other way. */
function reverseMesh(mesh: IndexedMesh): IndexedMesh {
  const isReversed = new Uint8Array(mesh.triangles.length / 3).fill(1);
  return { ...mesh, triangles: reverseTriangles(mesh.triangles, isReversed) };
}

/** Combines two surfaces, without objects. */
function combineSurfaces(source: IndexedMesh, added: IndexedMesh): IndexedMesh {
  const { positions, triangles } = joinMeshes([source, added]);
  return { positions, triangles };
}
