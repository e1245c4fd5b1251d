// Repairs every model of a folder and has the judge look at the results, in float64.
// `npx tsx bench/kernel.ts DIR` prints a line a model and the totals. Volumes are held against `truth.json` beside or above the folder, where
// there is one: an object that holds file name → volume, or such objects. Needs g++ and Debian's libcgal-dev for the judge.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseModel } from '../src/mesh/formats/parse-model.js';
import { repair } from '../src/mesh/repair/repair.js';
import { buildJudge, runJudge } from './judge/judge.js';
import { serializeOff } from './judge/serialize-off.js';

/** A volume within this share of the true one is kept. */
const VOLUME_SHARE = 0.05;

/** File name → volume, found anywhere in a truth.json. */
function readVolumes(folder: string): Map<string, number> {
  const volumes = new Map<string, number>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'number') volumes.set(name, inner);
      else visit(inner);
    }
  };
  for (const file of [path.join(folder, 'truth.json'), path.join(folder, '../truth.json')])
    if (existsSync(file)) visit(JSON.parse(readFileSync(file, 'utf8')));
  return volumes;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: npx tsx bench/kernel.ts DIR');
const judge = buildJudge(path.join(os.tmpdir(), 'model-processing-judge'));
const volumes = readVolumes(folder);
const scratch = mkdtempSync(path.join(os.tmpdir(), 'bench-kernel-'));
const total = { models: 0, solid: 0, saidSolid: 0, saidWrongly: 0, kept: 0, known: 0 };
const times: number[] = [];
try {
  for (const name of readdirSync(folder).filter((file) => /\.(stl|obj)$/i.test(file))) {
    const { mesh } = await parseModel(readFileSync(path.join(folder, name)), { filename: name });
    const start = performance.now();
    const { mesh: repaired, report } = repair(mesh);
    const ms = performance.now() - start;
    const file = path.join(scratch, 'model.off');
    writeFileSync(file, serializeOff(repaired));
    const { isSolid, intersectingPairs, volumeMm3 } = runJudge(judge, file);
    const truth = volumes.get(name);
    const off = truth === undefined ? undefined : volumeMm3 / truth - 1;
    const isSaidSolid = report.verdict.level === 'solid';
    total.models++;
    if (isSolid) total.solid++;
    if (isSaidSolid) total.saidSolid++;
    if (isSaidSolid && !isSolid) total.saidWrongly++;
    if (off !== undefined) total.known++;
    if (isSolid && off !== undefined && Math.abs(off) <= VOLUME_SHARE) total.kept++;
    times.push(ms);
    const words = [
      isSolid ? 'solid    ' : 'not solid',
      `we say ${report.verdict.level.padEnd(10)}`,
      `pairs ${intersectingPairs}`.padEnd(11),
      `${report.before.shells} → ${report.after.shells} shells`.padEnd(18),
      `volume ${volumeMm3.toPrecision(7)}${off === undefined ? '' : ` (${(off * 100).toFixed(3)} %)`}`.padEnd(32),
      `${ms.toFixed(0)} ms`.padStart(8),
    ];
    console.log(`${name.slice(0, 44).padEnd(45)} ${words.join('  ')}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`\n${JSON.stringify({ ...total, medianMs: Math.round(median(times)) })}`);
