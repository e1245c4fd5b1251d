// Measures hollowing (wall 2 % of the diagonal), wall thickness analysis (1 %) and shrinkwrap (Smooth) of the 24 largest models of up to
// 16,000 triangles in the given folders that a repair makes solid. `npm run bench -- fields DIR... [--record FILE] [--only TEXT]`. Runs in one
// process, one operation at a time. Prints the figures, checks the levels and walls of the results, and writes bench/results/fields.json.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { verdictOf } from '../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../src/mesh/core/mesh.js';
import { MeshError } from '../src/mesh/core/mesh-error.js';
import { computeBounds, diagonalOf } from '../src/mesh/geometry/bounds.js';
import { hollow } from '../src/mesh/hollow/hollow.js';
import { reduceSolid } from '../src/mesh/reduce/reduce-triangles.js';
import { closeMesh } from '../src/mesh/repair/close-mesh.js';
import { shrinkwrap } from '../src/mesh/shrinkwrap/shrinkwrap.js';
import { analyzeWalls } from '../src/mesh/thickness/analyze-walls.js';
import { loadModels, type Model } from './fields/load-models.js';
import { measureMinWall } from './fields/measure-min-wall.js';
import { describeMachine } from './kernel/figures.js';

const RESULT = fileURLToPath(new URL('results/fields.json', import.meta.url));

/** Runs an operation. Returns its figures, with the elapsed time and the processor time in ms. */
function measure(run: () => object): { ms: number; cpuMs: number } & object {
  const start = performance.now();
  const before = process.cpuUsage();
  let figures: object;
  try {
    figures = run();
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    figures = { error: error.code };
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: Math.round(performance.now() - start), cpuMs: Math.round((user + system) / 1000), ...figures };
}

function measureHollowing({ solid, analyzed }: Model, diagonalMm: number): Figures {
  const wallMm = diagonalMm * 0.02;
  let result: IndexedMesh | undefined;
  const figures = measure(() => {
    const hollowed = hollow(solid, analyzed, { wallMm, reduce: reduceSolid });
    result = hollowed.mesh;
    const { analysis } = hollowed.analyzed;
    const { triangles, volumeMm3 } = analysis;
    return { level: verdictOf(analysis).level, triangles, volumeMm3, cavities: hollowed.cavityCount };
  });
  return { ...figures, ...(result && { minWallFraction: measureMinWall(solid, result) / wallMm }) };
}

function measureThickness({ solid }: Model, diagonalMm: number): Figures {
  return measure(() => {
    const result = analyzeWalls(solid, { minThicknessMm: diagonalMm * 0.01, accuracy: 2 });
    const { hasThinWalls, hasPossibleThinWalls, marked, spacingMm } = result;
    return { hasThinWalls, hasPossibleThinWalls, triangles: marked.triangles.length / 3, spacingMm };
  });
}

function measureShrinkwrap({ mesh }: Model): Figures {
  return measure(() => {
    const { report } = shrinkwrap(mesh, { accuracy: 'Smooth', close: closeMesh });
    const { verdict, maxDisplacementMm, after } = report;
    return { level: verdict.level, triangles: after.triangles, volumeMm3: after.volumeMm3, maxDisplacementMm };
  });
}

type Figures = ReturnType<typeof measure>;

/** Returns the median and the longest time in seconds. */
function summarize(all: readonly Figures[]) {
  const sorted = all.map(({ ms }) => ms / 1000).sort((a, b) => a - b);
  const cpu = all.map(({ cpuMs }) => cpuMs / 1000).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return { medianS: sorted[middle], longestS: sorted.at(-1), medianCpuS: cpu[middle], longestCpuS: cpu.at(-1) };
}

const { values, positionals } = parseArgs({
  options: { record: { type: 'string', default: RESULT }, only: { type: 'string', default: '' } },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error('Usage: npm run bench -- fields DIR... [--record FILE] [--only TEXT]');
const models = (await loadModels(positionals)).filter(({ name }) => name.includes(values.only));
const rows = models.map((model) => {
  const diagonalMm = diagonalOf(computeBounds(model.solid.positions));
  const row = {
    name: model.name,
    triangles: model.mesh.triangles.length / 3,
    hollowing: measureHollowing(model, diagonalMm),
    thickness: measureThickness(model, diagonalMm),
    shrinkwrap: measureShrinkwrap(model),
  };
  const operations = [row.hollowing, row.thickness, row.shrinkwrap];
  console.log(`${row.name} (${row.triangles}): ${operations.map((figures) => JSON.stringify(figures)).join(' ')}`);
  return row;
});
const summary = {
  what: 'seconds for hollowing (wall 2 % of the diagonal), wall thickness analysis (1 %) and shrinkwrap (Smooth), in one process',
  models: rows.length,
  hollowing: summarize(rows.map(({ hollowing }) => hollowing)),
  thickness: summarize(rows.map(({ thickness }) => thickness)),
  shrinkwrap: summarize(rows.map((row) => row.shrinkwrap)),
  machine: describeMachine(),
};
console.log(JSON.stringify(summary, null, 2));
writeFileSync(values.record, `${JSON.stringify({ ...summary, rows }, null, 2)}\n`);
