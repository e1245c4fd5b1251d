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
  const reasons = listNonZero([
    [analysis.degenerateTriangles, 'degenerate triangle'],
    [analysis.qualityParams.intersectingTriangles, 'intersecting triangle'],
    [analysis.qualityParams.overlappingTriangles, 'overlapping triangle'],
  ]);
  if (!analysis.isIntersectionCheckComplete)
    reasons.push('intersection check incomplete: too many triangles close together');
  if (!analysis.boundsVolume)
    reasons.push('shells that do not bound a volume (inverted, or nested with the same orientation)');
  return reasons;
}

function listNonZero(entries: readonly (readonly [count: number, one: string, many?: string])[]): string[] {
  return entries.filter(([count]) => count > 0).map(([count, one, many]) => pluralize(count, one, many));
}
