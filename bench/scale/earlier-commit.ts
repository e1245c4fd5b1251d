import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { logIn } from '../../test/service/support/account.js';
import { measureSeconds, median, residentMib, roundTo } from '../service/service-process.js';
import { withCommit } from '../service/with-commit.js';
import { type Environment, startProcess } from './environment.js';
import { preparePoll } from './prepare-poll.js';
import { runWrk } from './run-wrk.js';

const run = promisify(execFile);

/** The commit before the first one that prepared the store for several databases. */
const EARLIER_COMMIT = '1967d100';

const ROUNDS = 7;
const SETTLED_MS = 1000;
const POLL_SECONDS = 3;
const POLL_CONNECTIONS = 16;
const MIB = 1 << 20;

/** Runs `work` with the folder of the built earlier commit. */
async function withEarlierCommit<T>(environment: Environment, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = path.join(await environment.createFolder(), 'earlier');
  return withCommit(folder, EARLIER_COMMIT, () => work(folder));
}

interface Figures {
  /** The start in an empty data folder. */
  startMs: number;
  /** The next start in the same folder. */
  restartMs: number;
  idleMib: number;
  pollsPerSecond: number;
}

/** Starts the service of a checkout. Resolves when it is ready, with the time until then. */
async function startOnce(folder: string, data: string) {
  const args = [path.join(folder, 'dist/src/cli.js'), 'serve', '--port', '0', '--data', data, '--log-level', 'warn'];
  const begin = performance.now();
  const service = await startProcess([...args, '--workers', '1', '--memory', '1G']);
  const { status } = await fetch(`${service.baseUrl}/readyz`);
  const ms = performance.now() - begin;
  if (status !== 200) throw new Error(`/readyz replied ${status}.`);
  return { service, ms };
}

/** Starts the service of a checkout twice in an empty data folder. Measures the starts, the idle memory and polls. */
async function measureOnce(environment: Environment, folder: string): Promise<Figures> {
  const data = await environment.createFolder();
  const { service: first, ms: startMs } = await startOnce(folder, data);
  await first.end();
  const { service, ms: restartMs } = await startOnce(folder, data);
  try {
    await sleep(SETTLED_MS);
    const idleMib = residentMib(service.pid);
    const poll = await preparePoll(await logIn(data));
    const options = { connections: POLL_CONNECTIONS, seconds: POLL_SECONDS };
    const { perSecond } = await runWrk(service.baseUrl, [poll], options);
    return { startMs, restartMs, idleMib, pollsPerSecond: perSecond };
  } finally {
    await service.end();
  }
}

async function readUnpackedMib(folder: string): Promise<number> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: 16 * MIB });
  return JSON.parse(stdout)[0].unpackedSize / MIB;
}

/** Compares the service on one machine, and the size of the package, with those before there were shared databases. */
export function measureEarlierCommit(environment: Environment) {
  return withEarlierCommit(environment, async (earlier) => {
    const rounds: { now: Figures; before: Figures }[] = [];
    const seconds = await measureSeconds(async () => {
      for (let round = 0; round <= ROUNDS; round++) {
        const [before, now] = [await measureOnce(environment, earlier), await measureOnce(environment, '.')];
        if (round > 0) rounds.push({ now, before }); // the first one reads the files from disk
      }
    });
    const compare = (key: keyof Figures) => ({
      now: roundTo(median(rounds.map(({ now }) => now[key])), 1),
      before: roundTo(median(rounds.map(({ before }) => before[key])), 1),
      ratio: roundTo(median(rounds.map(({ now, before }) => now[key] / before[key])), 3),
    });
    const [now, before] = [await readUnpackedMib('.'), await readUnpackedMib(earlier)];
    return {
      commit: EARLIER_COMMIT,
      seconds: roundTo(seconds, 0),
      start: { ...compare('startMs'), reach: 1.05 },
      restart: { ...compare('restartMs'), reach: 1.05 },
      idleMib: { ...compare('idleMib'), reach: 1.05 },
      polls: { ...compare('pollsPerSecond'), reach: 0.95 },
      unpackedMib: { now: roundTo(now), before: roundTo(before), more: roundTo(now - before), reach: 3 },
    };
  });
}
