import { pluralize } from '../core/pluralize.js';
import type { Analysis, SolidityLevel, Verdict } from './report.js';

/** Judges an analysis: the level, and what keeps the mesh from the next one, worst first. */
export function verdictOf(analysis: Analysis): Verdict {
  const ladder: { below: SolidityLevel; reasons: string[] }[] = [
    { below: 'open', reasons: openReasons(analysis) },
    {
      below: 'watertight',
      reasons: defects([[analysis.nonManifoldVertices, 'non-manifold vertex', 'non-manifold vertices']]),
    },
    { below: 'manifold', reasons: notSolidReasons(analysis) },
  ];
  const level = ladder.find(({ reasons }) => reasons.length > 0)?.below ?? 'solid';
  return { level, needsRepair: level !== 'solid', reasons: ladder.flatMap(({ reasons }) => reasons) };
}

function openReasons(analysis: Analysis): string[] {
  if (analysis.triangles === 0) return ['no triangles'];
  return defects([
    [analysis.boundaryEdges, 'boundary edge'],
    [analysis.nonManifoldEdges, 'non-manifold edge'],
    [analysis.inconsistentEdges, 'inconsistently wound edge'],
  ]);
}

function notSolidReasons(analysis: Analysis): string[] {
  const reasons = defects([
    [analysis.degenerateTriangles, 'degenerate triangle'],
    [analysis.qualityParams.intersectingTriangles, 'intersecting triangle'],
    [analysis.qualityParams.overlappingTriangles, 'overlapping triangle'],
  ]);
  if (!analysis.isIntersectionCheckComplete) reasons.push('too many triangles in one place to check them all');
  if (!analysis.boundsVolume) reasons.push('shells that bound no volume: inside out, or one directly inside another');
  return reasons;
}

const defects = (entries: readonly (readonly [count: number, one: string, many?: string])[]): string[] =>
  entries.filter(([count]) => count > 0).map(([count, one, many]) => pluralize(count, one, many));
