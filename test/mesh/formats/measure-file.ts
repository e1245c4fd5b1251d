import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { type ParseOptions, parseModel } from '../../../src/mesh/formats/parse-model.js';

function roundTo4Digits(value: number): number {
  return Math.round(value * 1e4) / 1e4 + 0;
}

/** Parses a file and measures the mesh. The box is rounded to 0.1 micron. */
export async function measureFile(bytes: Uint8Array, filename: string, more: Omit<ParseOptions, 'filename'> = {}) {
  const { mesh, warnings } = await parseModel(bytes, { filename, ...more });
  const [min, max] = [[0, 0, 0].fill(Number.POSITIVE_INFINITY), [0, 0, 0].fill(Number.NEGATIVE_INFINITY)];
  mesh.positions.forEach((value, i) => {
    min[i % 3] = Math.min(min[i % 3] ?? 0, value);
    max[i % 3] = Math.max(max[i % 3] ?? 0, value);
  });
  const analysis = analyze(mesh);
  return {
    box: [...min, ...max].map(roundTo4Digits),
    volume: analysis.volumeMm3,
    shells: analysis.shells,
    level: verdictOf(analysis).level,
    triangles: mesh.triangles.length / 3,
    names: mesh.objects?.map(({ name }) => name) ?? [],
    warnings: warnings.map(({ code }) => code),
  };
}
