import type { Analysis, SolidityLevel, Verdict } from '../report.js';

/** Judges an analysis: the level, and what keeps the mesh from the next one, worst first. */
export function verdictOf(analysis: Analysis): Verdict {
  const ladder: { below: SolidityLevel; reasons: string[] }[] = [
    { below: 'open', reasons: openReasons(analysis) },
    { below: 'watertight', reasons: counted([[analysis.nonManifoldVertices, 'non-manifold vertices']]) },
    { below: 'manifold', reasons: notSolidReasons(analysis) },
  ];
  const level = ladder.find(({ reasons }) => reasons.length > 0)?.below ?? 'solid';
  return { level, needsRepair: level !== 'solid', reasons: ladder.flatMap(({ reasons }) => reasons) };
}

function openReasons(analysis: Analysis): string[] {
  if (analysis.triangles === 0) return ['no triangles'];
  return counted([
    [analysis.boundaryEdges, 'boundary edges'],
    [analysis.nonManifoldEdges, 'non-manifold edges'],
    [analysis.inconsistentEdges, 'inconsistently wound edges'],
  ]);
}

function notSolidReasons(analysis: Analysis): string[] {
  const reasons = counted([
    [analysis.degenerateTriangles, 'degenerate triangles'],
    [analysis.qualityParams.intersectingTriangles, 'intersecting triangles'],
    [analysis.qualityParams.overlappingTriangles, 'overlapping triangles'],
  ]);
  if (!analysis.isIntersectionCheckComplete) reasons.push('too many triangles in one place to check them all');
  if (!analysis.boundsVolume) reasons.push('shells that bound no volume: inside out, or one directly inside another');
  return reasons;
}

const counted = (entries: readonly (readonly [number, string])[]): string[] =>
  entries.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
