// Compares repairs and hollowings with those of PrusaSlicer, on the models of the bench `fields`.
// `npm run bench -- slicer DIR... [--runs N] [--record FILE] [--resume] [--only TEXT]`. All runs are new processes, in
// turn, and the fastest of N (default: 3) counts. `--resume` keeps the rows of the record.
// Repair: both read and write binary STL, and the time is that of the whole process, with its start; `warmMs` is that
// of a process that has warmed up, as those of the service do, without its start. This package also checks its result.
// Hollowing: the solids, 150 mm along the diagonal, with walls of 3 mm, the default of PrusaSlicer. Its time is that of
// its steps by its log; that of this package includes the simplification and the check. PrusaSlicer uses all cores, this
// package one. It does not write the hollow mesh: only the volume of its layers is known.
// Prints the figures and writes bench/results/slicer.json. Needs Debian's `prusa-slicer`, `g++`, `libcgal-dev`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { IndexedMesh } from '../src/mesh/core/mesh.js';
import { fitToFormat } from '../src/mesh/formats/fit-to-format.js';
import { serializeModel } from '../src/mesh/formats/serialize-model.js';
import { computeBounds, diagonalOf } from '../src/mesh/geometry/bounds.js';
import { repair } from '../src/mesh/repair/repair.js';
import { loadModels, type Model } from './fields/load-models.js';
import { buildJudge, runJudge } from './judge/judge.js';
import { bundle } from './kernel/bundle.js';
import { describeMachine, median, roundTo } from './kernel/figures.js';
import { runTool } from './kernel/run-tool.js';
import { hollowByPrusaSlicer, repairByPrusaSlicer } from './slicer/prusa-slicer.js';

const RESULT = fileURLToPath(new URL('results/slicer.json', import.meta.url));
const DIAGONAL_MM = 150;
const WALL_MM = 3;
/** The default of PrusaSlicer, 14 voxels per wall, and the minimum, with 3.5. This package has 3 cubes per wall. */
const QUALITIES = { default: 0.5, minimum: 0 };
const TIMEOUT_MS = 600_000;

const { values, positionals } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    record: { type: 'string', default: RESULT },
    resume: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error('Usage: npm run bench -- slicer DIR... [--runs N] [--record FILE]');
const runs = Number(values.runs);
const models = (await loadModels(positionals)).filter(({ name }) => name.includes(values.only));
const judge = buildJudge(path.join(os.tmpdir(), 'model-processing-judge'));
const [repairProgram, hollowProgram] = [
  await bundle('repair-once'),
  await bundle('hollow-once', fileURLToPath(new URL('slicer', import.meta.url))),
];
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-slicer-'));

function writeStl(mesh: IndexedMesh, name: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, Buffer.concat([...serializeModel(fitToFormat(mesh, 'stl').mesh, 'stl')]));
  return file;
}

/** Returns what CGAL finds in a file. */
function judgeFile(file: string) {
  const { isSolid, isClosed, volumeMm3, triangles } = runJudge(judge, file, TIMEOUT_MS);
  return { isSolid, isClosed, volumeMm3: Number(volumeMm3.toPrecision(7)), triangles };
}

function compareRepairs({ mesh }: Model) {
  const source = writeStl(mesh, 'source.stl');
  const [ours, theirs] = [path.join(folder, 'ours.stl'), path.join(folder, 'theirs.stl')];
  const [oursMs, warmMs, theirsMs]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < runs; run++) {
    rmSync(theirs, { force: true });
    oursMs.push(runTool(process.execPath, [repairProgram, source, ours], TIMEOUT_MS).ms);
    warmMs.push(repairWarm(source, ours));
    theirsMs.push(repairByPrusaSlicer(source, theirs));
  }
  return {
    ours: { ms: roundTo(Math.min(...oursMs)), warmMs: roundTo(Math.min(...warmMs)), ...judgeFile(ours) },
    prusaSlicer: { ms: roundTo(Math.min(...theirsMs)), ...judgeFile(theirs) },
  };
}

/** Repairs a file in a new process that has warmed up. Returns the ms from reading to the written result. */
function repairWarm(source: string, target: string): number {
  const run = ['WARM_UP=1', process.execPath, repairProgram, source, target];
  // The output is not validated: the program is part of this repository.
  return (JSON.parse(runTool('env', run, TIMEOUT_MS).stdout) as { wholeMs: number }).wholeMs;
}

/** Hollows a file once. Returns the figures that `hollow-once` prints. */
function hollowOnce(source: string, target: string): { hollowMs: number; cavityCount: number } {
  const { stdout } = runTool(process.execPath, [hollowProgram, source, target, String(WALL_MM)], TIMEOUT_MS);
  // The output is not validated: the program is part of this repository.
  return JSON.parse(stdout) as { hollowMs: number; cavityCount: number };
}

function compareHollowings({ solid }: Model) {
  const factor = DIAGONAL_MM / diagonalOf(computeBounds(solid.positions));
  // The rounded vertices of a scaled solid may intersect by a hair, so it is repaired again.
  const { mesh: scaled } = repair({ ...solid, positions: solid.positions.map((value) => value * factor) });
  const source = writeStl(scaled, 'solid.stl');
  // In an STL, bodies that touch share vertices: some solids are none then.
  const ownSource = path.join(folder, 'solid.off');
  writeFileSync(ownSource, Buffer.concat([...serializeModel(scaled, 'off')]));
  const [ours, theirs] = [path.join(folder, 'ours.off'), path.join(folder, 'theirs.sl1')];
  const own = Array.from({ length: runs }, () => hollowOnce(ownSource, ours));
  const prusaSlicer = Object.entries(QUALITIES).map(([name, quality]) => {
    const completed = Array.from({ length: runs }, () => hollowByPrusaSlicer(source, theirs, WALL_MM, quality)).filter(
      (hollowing) => hollowing !== undefined,
    );
    const [{ hasCavity, volumeMm3 } = {}] = completed;
    const ms = completed.length > 0 ? roundTo(Math.min(...completed.map(({ hollowMs }) => hollowMs))) : undefined;
    return [name, { ms, hasCavity, volumeMm3: volumeMm3 && roundTo(volumeMm3) }] as const;
  });
  return {
    solidMm3: judgeFile(ownSource).volumeMm3,
    ours: {
      ms: roundTo(Math.min(...own.map(({ hollowMs }) => hollowMs))),
      cavities: own[0]?.cavityCount,
      ...judgeFile(ours),
    },
    prusaSlicer: Object.fromEntries(prusaSlicer),
  };
}

type Row = ReturnType<typeof compareOn>;

function compareOn(model: Model) {
  const { name, mesh } = model;
  return {
    name,
    triangles: mesh.triangles.length / 3,
    repair: compareRepairs(model),
    hollowing: compareHollowings(model),
  };
}

/** Returns on how many models this package is faster, and the medians. `times`: of this package and of PrusaSlicer. */
function summarize(times: readonly (readonly [number, number | undefined])[]) {
  const pairs = times.flatMap(([ours, theirs]) => (theirs === undefined ? [] : [[ours, theirs] as const]));
  return {
    compared: pairs.length,
    faster: pairs.filter(([ours, theirs]) => ours < theirs).length,
    medianMs: { ours: median(pairs.map(([ours]) => ours)), prusaSlicer: median(pairs.map(([, theirs]) => theirs)) },
  };
}

function createSummary(rows: readonly Row[]) {
  const repairRows = rows.map(({ repair }) => repair);
  const hollowingRows = rows.map(({ hollowing }) => hollowing);
  const countSolids = (results: readonly { isSolid: boolean }[]) => results.filter(({ isSolid }) => isSolid).length;
  return {
    what: 'ms: the fastest of several runs. Repair: whole processes, STL to STL; warm: this package in a process that has warmed up. Hollowing: the step alone, in a new process; PrusaSlicer by its log, with its default quality and with the minimum',
    models: rows.length,
    runs,
    repair: {
      ...summarize(repairRows.map(({ ours, prusaSlicer }) => [ours.ms, prusaSlicer.ms])),
      warm: summarize(repairRows.map(({ ours, prusaSlicer }) => [ours.warmMs, prusaSlicer.ms])),
      solid: {
        ours: countSolids(repairRows.map(({ ours }) => ours)),
        prusaSlicer: countSolids(repairRows.map(({ prusaSlicer }) => prusaSlicer)),
      },
    },
    hollowing: {
      ...summarize(hollowingRows.map(({ ours, prusaSlicer }) => [ours.ms, prusaSlicer.default?.ms])),
      minQuality: summarize(hollowingRows.map(({ ours, prusaSlicer }) => [ours.ms, prusaSlicer.minimum?.ms])),
      solid: countSolids(hollowingRows.map(({ ours }) => ours)),
    },
    machine: describeMachine(),
  };
}

// The record is not validated: this program wrote it.
const rows: Row[] = values.resume ? JSON.parse(readFileSync(values.record, 'utf8')).rows : [];
const measured = new Set(rows.map(({ name }) => name));
for (const model of models.filter(({ name }) => !measured.has(name))) {
  rows.push(compareOn(model));
  console.log(JSON.stringify(rows.at(-1)));
  // Written after each model: all of them take an hour on a busy machine.
  writeFileSync(values.record, `${JSON.stringify({ ...createSummary(rows), rows }, null, 2)}\n`);
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify(createSummary(rows), null, 2));
