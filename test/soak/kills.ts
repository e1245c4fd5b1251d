// Kills the real service with SIGKILL at random moments while it takes uploads and works, and then asks for everything that it had answered
// for. `npm run soak` does it 100 times; `npx tsx test/soak/kills.ts --kills 10 --seed 42` as often and as random as said. Needs Linux
// (/proc) and `npm run build`. Prints counts; exit status 1 when a promise was broken.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually } from '../helpers/processes.js';
import { logIn } from '../service/support/account.js';
import { type Program, startProgram } from '../service/support/program.js';
import { auditFolder, auditService, type Findings } from './support/audit.js';
import { startLoad } from './support/load.js';
import { createRandom } from './support/random.js';
import { createWitness } from './support/witness.js';

const MIN_SHARE_BOTH = 0.6;
const MOMENT_MS = { least: 100, most: 1200 };
const ORPHANS_WITHIN_MS = 2000;

const { values } = parseArgs({ options: { kills: { type: 'string' }, seed: { type: 'string' } } });
const kills = Number(values.kills ?? 100);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = createRandom(seed);

const folder = mkdtempSync(path.join(os.tmpdir(), 'soak-kills-'));
const data = path.join(folder, 'data');
const marker = path.join(folder, 'temporary');
const witness = createWitness(path.join(folder, 'witness.jsonl'));

/** A copy of the built program, so that a build meanwhile changes nothing. */
function copyProgram(): string {
  mkdirSync(marker);
  cpSync('dist/src/cli.js', path.join(folder, 'program/cli.js'));
  cpSync('dist/src/service', path.join(folder, 'program/service'), { recursive: true });
  cpSync('package.json', path.join(folder, 'package.json'));
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return path.join(folder, 'program/cli.js');
}

/** Every process that our services started, however long its parent is dead: the folder for temporary files tells them. */
function ownProcesses(): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const isZombie = /\) Z /.test(readFileSync(`/proc/${name}/stat`, 'latin1'));
      return !isZombie && readFileSync(`/proc/${name}/environ`, 'latin1').includes(`TMPDIR=${marker}\0`);
    } catch {
      return false; // it ended while we looked
    }
  });
}

const program = copyProgram();

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
    random.whole(0, 1) === 1 ? 'on' : 'off',
  ];
  const service = startProgram(args, { TMPDIR: marker }, program);
  const ended = service.ended.then(() => Promise.reject(new Error(`serve ended: ${service.errors()}`)));
  ended.catch(() => undefined); // later it is meant to end
  const baseUrl = await Promise.race([ended, eventually('serve listens', () => service.lines[0])]);
  return { ...service, baseUrl };
}

const counts = { both: 0, uploads: 0, operations: 0, orphans: 0 };

async function killOnce(): Promise<void> {
  const service = await start();
  const { token } = await logIn(data);
  const load = startLoad(service.baseUrl, token, random, witness);
  await Promise.race([load.ended, sleep(random.whole(MOMENT_MS.least, MOMENT_MS.most))]);
  if (load.uploads > 0) counts.uploads += 1;
  if (load.operations > 0) counts.operations += 1;
  if (load.uploads > 0 && load.operations > 0) counts.both += 1;
  service.child.kill('SIGKILL');
  await service.ended;
  await load.ended;
  const left = (): number => ownProcesses().length;
  await eventually('no process is left', () => left() === 0, ORPHANS_WITHIN_MS).catch(() => {
    counts.orphans += left();
  });
}

async function audit(): Promise<Findings> {
  const service = await start();
  const promised = await auditService(await logIn(data), witness);
  service.child.kill('SIGTERM');
  await service.ended;
  const kept = auditFolder(data);
  return { broken: [...promised.broken, ...kept.broken], counts: { ...promised.counts, ...kept.counts } };
}

console.log(`killing the service ${kills} times, seed ${seed}`);
const started = performance.now();
try {
  for (let death = 1; death <= kills; death++) {
    await killOnce();
    if (death % 10 === 0)
      console.log(`${death} kills, ${witness.files.size} files, ${witness.operations.size} operations`);
  }
  const { broken, counts: match } = await audit();
  if (counts.orphans > 0) broken.push(`${counts.orphans} processes outlived their service by ${ORPHANS_WITHIN_MS} ms`);
  if (counts.both < kills * MIN_SHARE_BOTH) broken.push(`only ${counts.both} kills met uploads and operations`);
  console.log({ kills, seed, inFlight: counts, ...match, seconds: Math.round((performance.now() - started) / 1000) });
  for (const what of broken) console.error(`BROKEN: ${what}`);
  if (broken.length > 0) process.exitCode = 1;
} finally {
  for (const pid of ownProcesses()) process.kill(Number(pid), 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
