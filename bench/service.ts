// Measures the local service: transfers compared with nginx, status polls while jobs run, token grants, many small
// operations compared with a bare loop, small jobs compared with an earlier commit, the memory during 10,000 of them, what
// many operations of one user cost another, the memory of many HTML reports, start and memory. `npm run bench -- service
// [start|grants|polls|small|jobs|earlier|memory|queue|reports|transfers]...` prints the figures, by default all, and writes them to
// bench/results/service.json, where figures that are not measured now are preserved. Needs Linux, curl, Debian's
// nginx-light and wrk, and 5 GB of disk.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { measureEarlierCommit } from './service/earlier-commit.js';
import { measureManyJobs } from './service/many-jobs.js';
import { measureQueue } from './service/queue.js';
import { measureReports } from './service/reports.js';
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
  earlier: measureEarlierCommit,
  memory: measureManyJobs,
  queue: measureQueue,
  reports: measureReports,
  transfers: measureTransfers,
};

const requested = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-service-'));
const RESULT = 'bench/results/service.json';
const result: Record<string, unknown> = JSON.parse(readFileSync(RESULT, 'utf8'));
try {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (requested.length > 0 && !requested.includes(name)) continue;
    const figures = await measure(folder);
    console.dir(figures, { depth: null });
    Object.assign(result, figures);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
result.machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() };
writeFileSync(RESULT, `${JSON.stringify(result, null, 2)}\n`);
