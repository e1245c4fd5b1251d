import { pluralize } from '../core/pluralize.js';
import type { Analysis, SolidityLevel, Verdict } from './report.js';

/** Returns the level of an analyzed mesh, and the reasons why it is not higher, worst first. */
export function verdictOf(analysis: Analysis): Verdict {
  const levels: { below: SolidityLevel; reasons: string[] }[] = [
    { below: 'open', reasons: listOpenReasons(analysis) },
    {
      below: 'watertight',
      reasons: listNonZero([[analysis.nonManifoldVertices, 'non-manifold vertex', 'non-manifold vertices']]),
    },
    { below: 'manifold', reasons: listNotSolidReasons(analysis) },
  ];
  const level = levels.find(({ reasons }) => reasons.length > 0)?.below ?? 'solid';
  return { level, needsRepair: level !== 'solid', reasons: levels.flatMap(({ reasons }) => reasons) };
}

function listOpenReasons(analysis: Analysis): string[] {
  if (analysis.triangles === 0) return ['no triangles'];
  return listNonZero([
    [analysis.boundaryEdges, 'boundary edge'],
    [analysis.nonManifoldEdges, 'non-manifold edge'],
    [analysis.inconsistentEdges, 'inconsistently wound edge'],
  ]);
}

function listNotSolidReasons(analysis: Analysis): string[] {
  const { triangles, badEdges, isIntersectionCheckComplete } = analysis;
  const { intersectingTriangles, overlappingTriangles } = analysis.qualityParams;
  const reasons = listNonZero([
    [analysis.degenerateTriangles, 'degenerate triangle'],
    [intersectingTriangles, 'intersecting triangle'],
    [overlappingTriangles, 'overlapping triangle'],
  ]);
  if (!isIntersectionCheckComplete) reasons.push('intersection check incomplete: too many triangles close together');
  // `boundsVolume` is false for every open mesh, and not valid for a mesh with intersections.
  const isWatertight = triangles > 0 && badEdges === 0;
  const hasIntersections = intersectingTriangles > 0 || overlappingTriangles > 0 || !isIntersectionCheckComplete;
  if (isWatertight && !hasIntersections && !analysis.boundsVolume) reasons.push(describeShells(analysis));
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
