// Measures the service on many machines, and compares it with that on one. Starts PostgreSQL 15, Swift with its S3
// interface, and HAProxy from Debian's packages on loopback. Both sides of each ratio run in turn, so that a ratio also
// holds on a machine that does other things; rates and times need a quiet one. `npm run bench -- scale [sleeping|repair|
// empty|starts|polls|redelivery|cancellation|fairness|upload|earlier]...` prints the figures, by default all, and writes
// them to bench/results/scale.json, where figures that are not measured now are preserved. Needs Debian's postgresql,
// swift, swift-proxy, swift-account, swift-container, swift-object, memcached, haproxy and wrk, and 5 GB of disk.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { measureEarlierCommit } from './scale/earlier-commit.js';
import { Environment } from './scale/environment.js';
import { measureFairness } from './scale/fairness.js';
import { measureCancellation, measureRedelivery } from './scale/faults.js';
import { measurePolls, measureStarts } from './scale/requests.js';
import { measureSleepingJobs } from './scale/sleeping-jobs.js';
import { measureEmptyJobs, measureRepairs } from './scale/throughput.js';
import { measureUpload } from './scale/upload.js';
import { roundTo } from './service/service-process.js';

const MEASUREMENTS: Record<string, (environment: Environment) => Promise<object>> = {
  sleeping: measureSleepingJobs,
  repair: measureRepairs,
  empty: measureEmptyJobs,
  starts: measureStarts,
  polls: measurePolls,
  redelivery: measureRedelivery,
  cancellation: measureCancellation,
  fairness: measureFairness,
  upload: measureUpload,
  earlier: measureEarlierCommit,
};

const RESULT = 'bench/results/scale.json';

function readLoad(): number {
  return roundTo(os.loadavg()[0] ?? Number.NaN, 1);
}

/** Replaces one measurement in the file. */
function record(name: string, figures: object): void {
  const result: Record<string, unknown> = JSON.parse(readFileSync(RESULT, 'utf8'));
  const machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() };
  writeFileSync(RESULT, `${JSON.stringify({ ...result, [name]: figures, machine }, null, 2)}\n`);
}

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !(name in MEASUREMENTS));
if (unknown.length > 0) throw new TypeError(`Unknown measurement "${unknown.join(' ')}".`);
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const environment = await Environment.start();
try {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (requested.length > 0 && !requested.includes(name)) continue;
    const loadBefore = readLoad();
    const figures = await environment.measure(measure);
    const measured = { commit, date: new Date().toISOString(), loadBefore, loadAfter: readLoad() };
    console.dir({ [name]: figures, measured }, { depth: null });
    record(name, { ...figures, measured });
  }
} finally {
  await environment.stop();
}
execFileSync('npx', ['biome', 'format', '--write', RESULT]);
