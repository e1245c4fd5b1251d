// Measures the nodes in a Node-RED process, compared with curl and with flows of core nodes, against a stub service.
// `npx tsx bench/nodes.ts [transfers|large|flood|tokens]...` prints a table; without arguments it measures everything
// and writes bench/results/nodes.json. `--small` tries it with small files and writes nothing. Exits with 1 if a target
// is missed. Needs Linux, curl, 12 GB of disk, 6 GB of memory (for the flow of core nodes), and `npm run build`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { measureFlood, measureTokens } from './nodes/concurrency.js';
import { printFigures } from './nodes/print-figures.js';
import { measureLarge, measureTransfers } from './nodes/transfers.js';

const isSmall = process.argv.includes('--small');
const MEASUREMENTS: Record<string, (folder: string) => Promise<Record<string, object>>> = {
  tokens: measureTokens,
  flood: (folder) => measureFlood(folder, isSmall ? { count: 20, mib: 10 } : { count: 100, mib: 100 }),
  transfers: (folder) => measureTransfers(folder, isSmall ? 100 : 1024),
  large: (folder) => measureLarge(folder, isSmall ? 200 : 5 * 1024),
};

const requested = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-nodes-'));
const figures: Record<string, object> = {};
try {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (requested.length === 0 || requested.includes(name)) Object.assign(figures, await measure(folder));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const isReached = printFigures(figures);
if (requested.length === 0 && !isSmall) {
  const machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() };
  const what =
    'our nodes in Node-RED; "reach" is what a figure has to reach, or not to pass where it is memory, a time or a count';
  writeFileSync('bench/results/nodes.json', `${JSON.stringify({ what, ...figures, machine }, null, 2)}\n`);
}
if (!isReached) process.exitCode = 1;
