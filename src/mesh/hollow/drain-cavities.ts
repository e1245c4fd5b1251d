import { analyzeWithPlaces } from '../analysis/analyze.js';
import type { AnalysisWithPlaces } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import { createResolutionWork, listPerturbations } from '../arrangement/resolve-intersections.js';
import { subtract } from '../arrangement/subtract.js';
import type { IndexedMesh, MeshGeometry, OnProgress } from '../core/mesh.js';
import type { WorkCounter } from '../core/work-counter.js';
import { createMeshState, type MeshState } from '../spatial/mesh-index.js';
import { countClosedFans } from '../topology/fans.js';
import { fromTaggedMesh, toTaggedMesh } from '../topology/tagged-mesh.js';
import { type CavityHoles, chooseHoles, type HoleOptions } from './choose-holes.js';
import { createCylinder } from './cylinder.js';
import type { Hole } from './fit-hole.js';

export interface DrainOptions extends HoleOptions {
  onProgress?: OnProgress | undefined;
}

/** A hollow solid with drain holes. */
export interface DrainResult {
  mesh: IndexedMesh;
  /** The analysis of `mesh`. */
  analyzed: AnalysisWithPlaces;
  /** The holes of each cavity, largest cavity first. */
  cavities: CavityHoles[];
}

/** Perturbations of the cylinders that are tried. */
const MAX_ATTEMPTS = 3;
/** Units of work per triangle of an attempt: its check. */
const CHECK_WORK = 8;
/** A hole replaces two disks of the surface by a tube. This changes the Euler characteristic. */
const EULER_CHANGE = -2;

/**
 * Makes holes from the lowest points of cavities through their walls, as a boolean difference with cylinders. The
 * surface stays exact elsewhere. Each hole opens exactly one tube: that the Euler characteristic falls by two is tested.
 * A hole that fits nowhere, or after which the model would not be a solid, is left out.
 *
 * @param solid the model with its cavities
 * @param outer its outermost shells
 * @param cavity the surface of the cavities, facing away from them
 */
export function drainCavities(
  solid: IndexedMesh,
  outer: MeshGeometry,
  cavity: MeshGeometry,
  { onProgress, ...options }: DrainOptions,
): DrainResult {
  const chosen = chooseHoles(outer, cavity, options);
  onProgress?.(0.3);
  const work = createResolutionWork(solid.triangles.length / 3);
  const source = createMeshState(toTaggedMesh(solid));
  const all = chosen.flatMap(({ holes }) => holes);
  const drilled = all.length > 0 ? drill(source, solid.objects, all, options.diameterMm, work) : undefined;
  onProgress?.(0.6);
  if (drilled) return { ...drilled.result, cavities: chosen };
  // One or more of the holes fail: finds them one by one.
  let state = source;
  let result = { mesh: solid, analyzed: analyzeWithPlaces(solid) };
  const drilledHoles = new Set<Hole>();
  if (all.length > 1) {
    for (const [index, hole] of all.entries()) {
      const next = drill(state, solid.objects, [hole], options.diameterMm, work);
      onProgress?.(0.6 + (0.4 * (index + 1)) / all.length);
      if (next === undefined) continue;
      ({ state, result } = next);
      drilledHoles.add(hole);
    }
  }
  const cavities = chosen.map((one) => ({ ...one, holes: one.holes.filter((hole) => drilledHoles.has(hole)) }));
  return { ...result, cavities };
}

/** Makes all of the holes. Returns `undefined` if the result is not a solid with these holes. */
function drill(
  { mesh, index }: MeshState,
  objects: IndexedMesh['objects'],
  holes: readonly Hole[],
  diameterMm: number,
  work: WorkCounter,
): { state: MeshState; result: Omit<DrainResult, 'cavities'> } | undefined {
  const tool = joinCylinders(holes, diameterMm / 2);
  const expected = computeEulerCharacteristic(index.twins()) + EULER_CHANGE * holes.length;
  for (const [seed, amplitudeMm] of listPerturbations(diameterMm).slice(0, MAX_ATTEMPTS).entries()) {
    if (!work.add((mesh.triangles.length / 3) * CHECK_WORK)) return undefined;
    const difference = subtract(mesh, tool, amplitudeMm, seed + 1, work);
    if (difference === undefined) continue;
    if (computeEulerCharacteristic(difference.index.twins()) !== expected) continue;
    const result = fromTaggedMesh(difference.mesh, objects);
    const analyzed = analyzeWithPlaces(result);
    if (verdictOf(analyzed.analysis).level !== 'solid') continue;
    const state = createMeshState(toTaggedMesh(result));
    return { state, result: { mesh: result, analyzed } };
  }
  return undefined;
}

function joinCylinders(holes: readonly Hole[], radiusMm: number): MeshGeometry {
  const cylinders = holes.map(({ from, to }) => createCylinder(from, to, radiusMm));
  const vertexCount = cylinders[0].positions.length / 3; // of each
  return {
    positions: Float64Array.from(cylinders.flatMap(({ positions }) => [...positions])),
    triangles: Uint32Array.from(
      cylinders.flatMap(({ triangles }, i) => [...triangles].map((vertex) => vertex + i * vertexCount)),
    ),
  };
}

/** Computes the Euler characteristic of a closed mesh in which each fan has its own vertex: V - E + F. */
function computeEulerCharacteristic(twins: Int32Array): number {
  return countClosedFans(twins) - twins.length / 2 + twins.length / 3;
}
