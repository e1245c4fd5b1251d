// Measures the local service: transfers beside nginx, status polls while jobs run, token grants, many small operations beside a bare loop, start and
// memory. `npx tsx bench/service.ts [start|grants|polls|small|jobs|transfers]...` prints the figures, all of them by default, and then writes
// bench/results/service.json. Needs Linux, curl, Debian's nginx-light and wrk, 5 GB of disk, and `npm run build`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { measureGrants, measurePolls } from './service/requests.js';
import { measureSmallJobs } from './service/small-jobs.js';
import { measureSmallOperations } from './service/small-operations.js';
import { measureStart } from './service/start.js';
import { measureTransfers } from './service/transfers.js';

const MEASUREMENTS: Record<string, (folder: string) => Promise<object>> = {
  start: measureStart,
  grants: measureGrants,
  polls: measurePolls,
  small: measureSmallOperations,
  jobs: measureSmallJobs,
  transfers: measureTransfers,
};

const asked = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-service-'));
const result: Record<string, unknown> = {
  what: 'the local service; "reach" is what it has to reach, or not to pass where it is memory, a start or a latency',
};
try {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const figures = await measure(folder);
    console.dir(figures, { depth: null });
    Object.assign(result, figures);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
result.machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() };
if (asked.length === 0) writeFileSync('bench/results/service.json', `${JSON.stringify(result, null, 2)}\n`);
