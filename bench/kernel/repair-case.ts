// Repairs one model of a known kind: `repair-case NAME RINGS`. Prints one line of JSON: the CPU time of the repair alone,
// the peak memory of the process, the level, and what `bench/index-builds.ts` counted.
import { writeFileSync } from 'node:fs';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { makeSphere } from './sphere.js';

declare global {
  /** Function → the triangles of each call. `bench/index-builds.ts` inserts the calls that fill it. */
  var buildSizes: Record<string, number[]> | undefined;
}

/** Every n-th triangle is missing. */
const HOLE_STRIDE = 4999;
/** Offset of the second sphere, along no axis. */
const OFFSET_MM = [61.7, 13.1, 7.3];
/** Far below the tolerances of a repair. */
const CRACK_MM = 1e-6;

/** Kind → a model of about 2 * rings² triangles, or twice as many. */
const CASES: Readonly<Record<string, (rings: number) => IndexedMesh>> = {
  sound: makeSphere,
  inverted: (rings) => reverse(makeSphere(rings)),
  overlapping: (rings) => join(makeSphere(rings), move(makeSphere(rings))),
  holes: (rings) => removeTriangles(makeSphere(rings)),
  cracks: (rings) => separateCap(makeSphere(rings)),
};

function reverse({ positions, triangles }: IndexedMesh): IndexedMesh {
  return { positions, triangles: triangles.map((vertex, i) => triangles[i + ([0, 1, -1][i % 3] ?? 0)] ?? vertex) };
}

function move({ positions, triangles }: IndexedMesh): IndexedMesh {
  return { positions: positions.map((value, i) => value + (OFFSET_MM[i % 3] ?? 0)), triangles };
}

function join(one: IndexedMesh, other: IndexedMesh): IndexedMesh {
  const positions = new Float64Array(one.positions.length + other.positions.length);
  positions.set(one.positions);
  positions.set(other.positions, one.positions.length);
  const triangles = new Uint32Array(one.triangles.length + other.triangles.length);
  triangles.set(one.triangles);
  const firstVertex = one.positions.length / 3;
  triangles.set(
    other.triangles.map((vertex) => vertex + firstVertex),
    one.triangles.length,
  );
  return { positions, triangles };
}

function removeTriangles({ positions, triangles }: IndexedMesh): IndexedMesh {
  return { positions, triangles: triangles.filter((_, i) => Math.floor(i / 3) % HOLE_STRIDE !== HOLE_STRIDE - 1) };
}

/** Gives the triangles of the first half their own vertices, slightly apart from those of the others. */
function separateCap({ positions, triangles }: IndexedMesh): IndexedMesh {
  const half = triangles.length / 6;
  const both = join({ positions, triangles }, { positions: positions.map((value) => value + CRACK_MM), triangles });
  const isFirst = (i: number) => Math.floor(i / 3) % (triangles.length / 3) < half;
  return {
    positions: both.positions,
    triangles: both.triangles.filter((_, i) => (i < triangles.length ? isFirst(i) : !isFirst(i))),
  };
}

const [name = '', rings = ''] = process.argv.slice(2);
const mesh = CASES[name]?.(Number(rings));
if (!mesh) throw new Error(`Usage: repair-case ${Object.keys(CASES).join('|')} RINGS`);
const start = process.cpuUsage();
const { report } = repair(mesh);
const { user } = process.cpuUsage(start);
const sizes = Object.entries(globalThis.buildSizes ?? {});
const builds = sizes.map(([what, counts]) => [what, counts.filter((size) => size * 30 > mesh.triangles.length).length]);
const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
const figures = { userMs: Math.round(user / 1000), peakMb, level: report.verdict.level };
writeFileSync(
  1,
  `${JSON.stringify({ name, triangles: mesh.triangles.length / 3, ...figures, builds: Object.fromEntries(builds) })}\n`,
);
