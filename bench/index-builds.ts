// Counts how often a repair builds the connectivity and the BVH of a model: `npx tsx bench/index-builds.ts [RINGS]`.
// Builds over less than a tenth of the model's triangles do not count. The counting is inserted into a bundle of the
// kernel, so that the kernel itself has none.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const OUTFILE = path.join(HERE, '../build/bench/index-builds.mjs');
const CASES = ['sound', 'inverted', 'overlapping', 'holes', 'cracks'];
const DEFAULT_RINGS = '71';

/** Function that is counted → the expression of the length of the triangle array, in terms of its parameters. */
const COUNTED: Readonly<Record<string, string>> = {
  buildEdges: 'triangles.length',
  findTwinsIfClosed: 'triangles.length',
  findTwins: 'triangles.length',
  findShells: 'triangleCount * 3',
  findTwinShells: 'twins.length',
  buildBvh: 'triangles.length',
  findIntersections: 'mesh.triangles.length',
  compact: 'triangles.length',
};

const countCalls: Plugin = {
  name: 'count-calls',
  setup({ onLoad }) {
    onLoad({ filter: /src\/mesh\/(topology|spatial|intersections)\/[\w-]+\.ts$/ }, ({ path: file }) => ({
      contents: Object.entries(COUNTED).reduce(insertCount, readFileSync(file, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** Inserts the counting at the beginning of a function. */
function insertCount(source: string, [name, length]: [string, string]): string {
  const head = new RegExp(`^export function ${name}\\((?:[^{}]|\\{\\})*\\{$`, 'm');
  return source.replace(head, `$& ((globalThis.buildSizes ??= {}).${name} ??= []).push(${length} / 3);`);
}

await build({
  entryPoints: [path.join(HERE, 'kernel/repair-case.ts')],
  outfile: OUTFILE,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  plugins: [countCalls],
});
const [rings = DEFAULT_RINGS] = process.argv.slice(2);
for (const name of CASES) process.stdout.write(execFileSync(process.execPath, [OUTFILE, name, rings]));
