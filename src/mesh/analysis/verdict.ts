import { pluralize } from '../core/pluralize.js';
import type { Analysis, SolidityLevel, Verdict } from './report.js';

/** Numbers of triangles at an edge, as words. */
const NUMBER_WORDS = ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const FIRST_NUMBER_WORD = 3;
/** With more different numbers of triangles at edges, one reason covers all. */
const MAX_EDGE_REASONS = 3;

/** Returns the level of an analyzed mesh, and the reasons why it is not higher, worst first. */
export function verdictOf(analysis: Analysis): Verdict {
  const levels: { below: SolidityLevel; reasons: string[] }[] = [
    { below: 'open', reasons: listOpenReasons(analysis) },
    { below: 'watertight', reasons: listNotManifoldReasons(analysis) },
    { below: 'manifold', reasons: listNotSolidReasons(analysis) },
  ];
  const level = levels.find(({ reasons }) => reasons.length > 0)?.below ?? 'solid';
  return { level, needsRepair: level !== 'solid', reasons: levels.flatMap(({ reasons }) => reasons) };
}

/** Returns whether every edge of an analyzed mesh has exactly two triangles, of opposite direction: its volume is defined. */
export function hasMatchingEdges({ triangles, badEdges }: Analysis): boolean {
  return triangles > 0 && badEdges === 0;
}

function listOpenReasons({ triangles, boundaryEdges }: Analysis): string[] {
  return triangles === 0 ? ['no triangles'] : listNonZero([[boundaryEdges, 'boundary edge']]);
}

function listNotManifoldReasons(analysis: Analysis): string[] {
  return [
    ...listNonManifoldEdges(analysis),
    ...listNonZero([
      [analysis.inconsistentEdges, 'inconsistently wound edge'],
      [analysis.nonManifoldVertices, 'non-manifold vertex', 'non-manifold vertices'],
    ]),
  ];
}

/** Says how many triangles the non-manifold edges have. Analyses of earlier versions do not say it. */
function listNonManifoldEdges({ nonManifoldEdges, edgesByTriangles = [] }: Analysis): string[] {
  if (nonManifoldEdges === 0) return [];
  const describe = (edges: number, triangles: string): string =>
    `${pluralize(edges, 'edge')} ${edges === 1 ? 'has' : 'have'} ${triangles} triangles`;
  if (edgesByTriangles.length === 0 || edgesByTriangles.length > MAX_EDGE_REASONS)
    return [describe(nonManifoldEdges, 'more than two')];
  return edgesByTriangles.map(({ triangles, edges }) =>
    describe(edges, NUMBER_WORDS[triangles - FIRST_NUMBER_WORD] ?? String(triangles)),
  );
}

function listNotSolidReasons(analysis: Analysis): string[] {
  const { isIntersectionCheckComplete } = analysis;
  const { intersectingTriangles, overlappingTriangles } = analysis.qualityParams;
  const reasons = listNonZero([
    [analysis.degenerateTriangles, 'degenerate triangle'],
    [intersectingTriangles, 'intersecting triangle'],
    [overlappingTriangles, 'overlapping triangle'],
  ]);
  if (!isIntersectionCheckComplete) reasons.push('intersection check incomplete: too many triangles close together');
  // `boundsVolume` is false for every mesh with bad edges, and not valid for a mesh with intersections.
  const hasIntersections = intersectingTriangles > 0 || overlappingTriangles > 0 || !isIntersectionCheckComplete;
  if (hasMatchingEdges(analysis) && !hasIntersections && !analysis.boundsVolume) reasons.push(describeShells(analysis));
  return reasons;
}

function describeShells({ solidityParams, volumeMm3 }: Analysis): string {
  const { invertedNormals: count } = solidityParams;
  if (count > 0) return `inside out: ${pluralize(count, 'triangle')} ${count === 1 ? 'faces' : 'face'} inward`;
  if (volumeMm3 <= 0) return 'no enclosed volume';
  return 'a shell directly inside another, without a cavity around it';
}

function listNonZero(entries: readonly (readonly [count: number, one: string, many?: string])[]): string[] {
  return entries.filter(([count]) => count > 0).map(([count, one, many]) => pluralize(count, one, many));
}
