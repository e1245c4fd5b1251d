import {
  createResolutionWork,
  listPerturbations,
  RESOLUTION_BUDGET,
  resolveIntersections,
} from '../arrangement/resolve-intersections.js';
import type { Box3, IndexedMesh } from '../core/mesh.js';
import type { TaskRunner } from '../core/task-runner.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { createMeshState } from '../spatial/mesh-index.js';
import { splitParts } from '../spatial/split-parts.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { toTaggedMesh } from '../topology/tagged-mesh.js';
import { analyzeWithPlaces } from './analyze.js';
import type { Analysis, AnalysisWithPlaces, DefectPlace, SolidityLevel } from './report.js';
import { hasMatchingEdges, verdictOf } from './verdict.js';

const LEVEL_RANK: Readonly<Record<SolidityLevel, number>> = { open: 0, watertight: 1, manifold: 2, solid: 3 };
/** The overlap of larger models is not computed: that takes much longer than their analysis. */
const MAX_OVERLAP_TRIANGLES = 200_000;
/** A smaller overlap, as a fraction of the volume, is the rounding error of its computation: the parts only touch. */
const MIN_OVERLAP_FRACTION = 1e-4;
/** At most this many places of each kind of defect are in an analysis. */
const MAX_PLACES_PER_KIND = 100;

/**
 * Analyzes a model that may have several parts. Parts may touch and overlap, which is no defect: if the whole is no solid,
 * returns the analysis of its parts, each by itself, and the volume that they share. Returns that of the whole if it is a
 * solid, or if a part makes sense only together with others, such as a void that is an object of its own.
 */
export function analyzeModel(mesh: IndexedMesh, runner?: TaskRunner): AnalysisWithPlaces {
  const whole = analyzeWithPlaces(mesh, runner);
  if ((mesh.objects?.length ?? 0) < 2 || levelOf(whole) === LEVEL_RANK.solid) return whole;
  const parts = splitParts(mesh);
  return chooseAnalysis(
    whole,
    parts.map((part) => ({ mesh: part, analyzed: analyzeWithPlaces(part) })),
  );
}

/** A part of a model with its analysis. */
export interface AnalyzedPart {
  mesh: IndexedMesh;
  analyzed: AnalysisWithPlaces;
}

/** Analyzes a model as `analyzeModel` does, whose parts were analyzed before. */
export function analyzeWithParts(
  mesh: IndexedMesh,
  parts: readonly AnalyzedPart[],
  runner?: TaskRunner,
): AnalysisWithPlaces {
  const whole = analyzeWithPlaces(mesh, runner);
  return levelOf(whole) === LEVEL_RANK.solid ? whole : chooseAnalysis(whole, parts);
}

function chooseAnalysis(whole: AnalysisWithPlaces, parts: readonly AnalyzedPart[]): AnalysisWithPlaces {
  if (parts.length < 2) return whole;
  const merged = mergeAnalyses(
    parts.map(({ analyzed }) => analyzed),
    whole.analysis,
  );
  if (levelOf(merged) < levelOf(whole)) return whole;
  const overlapMm3 = computeOverlap(
    parts.map(({ mesh }) => mesh),
    merged.analysis,
  );
  const facts = { count: parts.length, ...(overlapMm3 !== undefined && { overlapMm3 }) };
  return { ...merged, analysis: { ...merged.analysis, parts: facts } };
}

/** Returns the analysis of a model as one mesh, if it is known: that of its parts does not describe it. */
export function selectWholeAnalysis(analyzed: AnalysisWithPlaces | undefined): AnalysisWithPlaces | undefined {
  return analyzed?.analysis.parts ? undefined : analyzed;
}

function levelOf({ analysis }: AnalysisWithPlaces): number {
  return LEVEL_RANK[verdictOf(analysis).level];
}

/** Adds the counts and measures of parts. The size is that of the whole. */
export function mergeAnalyses(parts: readonly AnalysisWithPlaces[], whole: Analysis): AnalysisWithPlaces {
  const analyses = parts.map(({ analysis }) => analysis);
  const sum = (read: (analysis: Analysis) => number): number =>
    analyses.reduce((total, analysis) => total + read(analysis), 0);
  const every = (read: (analysis: Analysis) => boolean): boolean => analyses.every(read);
  const badEdges = sum((part) => part.badEdges);
  const badContours = sum((part) => part.badContours);
  const analysis: Analysis = {
    vertices: whole.vertices,
    triangles: whole.triangles,
    contours: sum((part) => part.contours),
    shells: sum((part) => part.shells),
    volumeMm3: sum((part) => part.volumeMm3),
    surfaceAreaMm2: whole.surfaceAreaMm2,
    dimensionXMm: whole.dimensionXMm,
    dimensionYMm: whole.dimensionYMm,
    dimensionZMm: whole.dimensionZMm,
    badEdges,
    badContours,
    solidityParams: {
      invertedNormals: sum(({ solidityParams }) => solidityParams.invertedNormals),
      badEdges,
      badContours,
      nearBadEdges: sum(({ solidityParams }) => solidityParams.nearBadEdges),
      planarHoles: sum(({ solidityParams }) => solidityParams.planarHoles),
    },
    qualityParams: {
      noiseShells: whole.qualityParams.noiseShells,
      overlappingTriangles: sum(({ qualityParams }) => qualityParams.overlappingTriangles),
      intersectingTriangles: sum(({ qualityParams }) => qualityParams.intersectingTriangles),
      isFacetingScoreOk: whole.qualityParams.isFacetingScoreOk,
    },
    boundaryEdges: sum((part) => part.boundaryEdges),
    nonManifoldEdges: sum((part) => part.nonManifoldEdges),
    edgesByTriangles: mergeEdgeCounts(analyses),
    inconsistentEdges: sum((part) => part.inconsistentEdges),
    nonManifoldVertices: sum((part) => part.nonManifoldVertices),
    degenerateTriangles: sum((part) => part.degenerateTriangles),
    isIntersectionCheckComplete: every((part) => part.isIntersectionCheckComplete),
    boundsVolume: every((part) => part.boundsVolume),
    boxMm: copyBox(whole.boxMm),
  };
  return { analysis, places: limitPlaces(parts.flatMap(({ places }) => places)) };
}

function mergeEdgeCounts(analyses: readonly Analysis[]): { triangles: number; edges: number }[] {
  const counts = new Map<number, number>();
  for (const { triangles, edges } of analyses.flatMap(({ edgesByTriangles = [] }) => edgesByTriangles))
    counts.set(triangles, (counts.get(triangles) ?? 0) + edges);
  return [...counts].sort(([left], [right]) => left - right).map(([triangles, edges]) => ({ triangles, edges }));
}

function copyBox({ min, max }: Box3): Box3 {
  return { min: [...min], max: [...max] };
}

function limitPlaces(places: readonly DefectPlace[]): DefectPlace[] {
  const counts = new Map<string, number>();
  return places.filter(({ defect }) => {
    const count = (counts.get(defect) ?? 0) + 1;
    counts.set(defect, count);
    return count <= MAX_PLACES_PER_KIND;
  });
}

/**
 * Computes the volume that parts share: that of all of them less that of their union. Returns `undefined` if a part has no
 * volume, the model is too large, or the union cannot be computed.
 */
function computeOverlap(parts: readonly IndexedMesh[], analysis: Analysis): number | undefined {
  if (!hasMatchingEdges(analysis) || analysis.triangles > MAX_OVERLAP_TRIANGLES) return undefined;
  const { dimensionXMm, dimensionYMm, dimensionZMm } = analysis;
  const perturbationsMm = listPerturbations(Math.hypot(dimensionXMm, dimensionYMm, dimensionZMm));
  const work = createResolutionWork(analysis.triangles);
  const source = createMeshState(toTaggedMesh(joinMeshes(parts)));
  const { resolved } = resolveIntersections(source, perturbationsMm, RESOLUTION_BUDGET, work);
  if (!resolved || resolved.remainingCount > 0) return undefined;
  const { mesh } = resolved.state;
  const unionMm3 = measureGroups(mesh, new Uint32Array(mesh.triangles.length / 3), 1).volumeMm3[0];
  const overlapMm3 = analysis.volumeMm3 - unionMm3;
  return overlapMm3 > analysis.volumeMm3 * MIN_OVERLAP_FRACTION ? overlapMm3 : 0;
}
