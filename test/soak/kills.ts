// Soak test: kills the service with SIGKILL at random times during uploads and operations, then checks that everything
// it acknowledged is still there. Every third time, it kills the service while a long operation of a second user is
// suspended, and every other of those times the process of that operation before. `npm run soak` kills 100 times;
// `npx tsx test/soak/kills.ts --kills 10 --seed 42` sets the number of kills and the random seed. Requires Linux (/proc)
// and `npm run build`. Prints counts. Exits with 1 if an acknowledged file, operation or result is lost or changed, or a
// process outlives its service.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually, findDescendants, isRunning } from '../helpers/processes.js';
import { logIn } from '../service/support/account.js';
import { type Program, startProgram } from '../service/support/program.js';
import { createAcknowledgmentLog } from './support/acknowledgment-log.js';
import { auditFolder, auditService, type Findings } from './support/audit.js';
import { startLoad } from './support/load.js';
import { createLongOperations } from './support/long-operations.js';
import { copyProgram } from './support/marked-program.js';
import { createRandom } from './support/random.js';

/** The minimum fraction of kills during both an upload and an operation. */
const MIN_BOTH_FRACTION = 0.6;
const KILL_DELAY_MS = { min: 100, max: 1200 };
/** In one of so many rounds, an operation is suspended. */
const SUSPENSION_INTERVAL = 3;
const ORPHAN_TIMEOUT_MS = 30_000;

const { values } = parseArgs({ options: { kills: { type: 'string' }, seed: { type: 'string' } } });
const kills = Number(values.kills ?? 100);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = createRandom(seed);

const folder = mkdtempSync(path.join(os.tmpdir(), 'soak-kills-'));
const data = path.join(folder, 'data');
const log = createAcknowledgmentLog(path.join(folder, 'acknowledged.jsonl'));

const longOperations = createLongOperations(data, random);
const program = copyProgram(folder);

async function start(): Promise<Program & { baseUrl: string }> {
  const args = [
    'serve',
    '--port',
    '0',
    '--data',
    data,
    '--workers',
    '2',
    '--memory',
    '512M',
    '--log-level',
    'warn',
    '--cache',
    random.integer(0, 1) === 1 ? 'on' : 'off',
  ];
  const service = startProgram(args, program.environment, program.file);
  const ended = service.ended.then(() => Promise.reject(new Error(`serve exited: ${service.errors()}`)));
  ended.catch(() => undefined); // a later exit is expected
  const baseUrl = await Promise.race([ended, eventually('serve is listening', () => service.lines[0])]);
  return { ...service, baseUrl };
}

/** The number of kills during both, during an upload, and during an operation; the number of orphaned processes. */
const counts = { both: 0, uploads: 0, operations: 0, orphans: 0 };

/** Waits until the service, the process `pid`, is to be killed. */
async function untilKill(kill: number, pid: number): Promise<unknown> {
  if (kill % SUSPENSION_INTERVAL > 0) return sleep(random.integer(KILL_DELAY_MS.min, KILL_DELAY_MS.max));
  await longOperations.untilSuspended(pid);
  return kill % (2 * SUSPENSION_INTERVAL) > 0 && longOperations.killSuspended(pid);
}

async function killOnce(kill: number): Promise<void> {
  const service = await start();
  const { token } = await logIn(data);
  await longOperations.cancelAll();
  const load = startLoad(service.baseUrl, token, random, log);
  const { pid = 0 } = service.child;
  await Promise.race([load.ended, untilKill(kill, pid)]);
  if (load.uploads > 0) counts.uploads += 1;
  if (load.operations > 0) counts.operations += 1;
  if (load.uploads > 0 && load.operations > 0) counts.both += 1;
  const descendants = findDescendants(pid).map((each) => each.pid); // some have no environment
  service.child.kill('SIGKILL');
  await service.ended;
  await load.ended;
  const countRemaining = (): number => new Set([...program.findProcesses(), ...descendants.filter(isRunning)]).size;
  await eventually('no process remains', () => countRemaining() === 0, ORPHAN_TIMEOUT_MS).catch(() => {
    counts.orphans += countRemaining();
  });
}

async function audit(): Promise<Findings> {
  const service = await start();
  await longOperations.cancelAll();
  const fromService = await auditService(await logIn(data), log);
  service.child.kill('SIGTERM');
  await service.ended;
  const fromFolder = auditFolder(data);
  return {
    violations: [...fromService.violations, ...fromFolder.violations],
    counts: { ...fromService.counts, ...fromFolder.counts },
  };
}

console.log(`killing the service ${kills} times, seed ${seed}`);
const startedAt = performance.now();
try {
  for (let kill = 1; kill <= kills; kill++) {
    await killOnce(kill);
    if (kill % 10 === 0) console.log(`${kill} kills, ${log.files.size} files, ${log.operations.size} operations`);
  }
  const { violations, counts: audited } = await audit();
  if (counts.orphans > 0)
    violations.push(`${counts.orphans} processes ran ${ORPHAN_TIMEOUT_MS} ms after their service`);
  if (counts.both < kills * MIN_BOTH_FRACTION)
    violations.push(`only ${counts.both} kills during both an upload and an operation`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log({ kills, seed, inFlight: counts, longOperations: longOperations.counts, ...audited, seconds });
  for (const violation of violations) console.error(`VIOLATION: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
} finally {
  for (const pid of program.findProcesses()) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
