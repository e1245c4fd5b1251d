import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { askForToken } from '../../test/service/support/account.js';
import { sphere } from '../../test/service/support/models.js';
import { roundTo, type ServiceProcess, startService } from './service-process.js';

const SECONDS = 5;
const CHAINS = 8;
// 600,000 triangles, so that each job takes seconds.
const LARGE = sphere(501, 600);

const run = promisify(execFile);

async function runLoadGenerator(...args: (string | number)[]) {
  const { stdout } = await run(process.execPath, [path.resolve('bench/service/requests.mjs'), ...args.map(String)]);
  return JSON.parse(stdout);
}

/** Keeps two jobs running until `stop` is called. */
async function keepKernelsBusy({ api }: ServiceProcess): Promise<{ operationId: string; stop(): Promise<void> }> {
  const { fileId } = (await api.upload(LARGE, 'large.stl')).body;
  let isOver = false;
  const { operationId } = (await api.post('import', { fileId })).body;
  const importAgain = async (): Promise<void> => {
    while (!isOver) await api.run('import', { fileId });
  };
  const streams = [importAgain(), importAgain(), importAgain()];
  return {
    operationId,
    stop: async () => {
      isOver = true;
      await Promise.all(streams);
    },
  };
}

/** Measures status polls, as many as wrk can send and at a fixed rate, while two jobs run. */
export async function measurePolls(folder: string) {
  const service = await startService(path.join(folder, 'polls'), ['--workers', '2', '--memory', '1G']);
  try {
    const { operationId, stop } = await keepKernelsBusy(service);
    const url = `${service.baseUrl}/web-api/operation/${operationId}/status`;
    await service.api.untilCompleted(operationId);
    const header = `Authorization: Bearer ${service.api.token}`;
    const { stdout } = await run('wrk', ['-t1', '-c16', `-d${SECONDS}s`, '-H', header, url]);
    if (/Non-2xx/.test(stdout)) throw new Error(stdout);
    const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
    const { p50, p99 } = await runLoadGenerator('polls', url, service.api.token, 500, SECONDS);
    await stop();
    return {
      pollsPerSecond: { withTwoJobs: roundTo(perSecond, 0), reach: 5000 },
      pollLatencyMs: { perSecond: 500, p50: roundTo(p50), p99: roundTo(p99), reach: 20 },
    };
  } finally {
    await service.close();
  }
}

/** Measures token refreshes per second with eight concurrent callers. */
export async function measureGrants(folder: string) {
  const service = await startService(path.join(folder, 'grants'));
  try {
    const file = path.join(service.data, 'credentials.json');
    const { clientId, clientSecret, username, password } = JSON.parse(readFileSync(file, 'utf8'));
    const first: string[] = [];
    for (let chain = 0; chain < CHAINS; chain++) {
      first.push((await askForToken(service.data, { grant_type: 'password', username, password })).body.refresh_token);
    }
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const args = ['bench/service/requests.mjs', 'grants', `${service.baseUrl}/Token`, basic, String(SECONDS)];
    const { perSecond } = JSON.parse(
      execFileSync(process.execPath, args, { input: JSON.stringify(first), encoding: 'utf8' }),
    );
    return { refreshGrantsPerSecond: { reached: roundTo(perSecond, 0), reach: 300 } };
  } finally {
    await service.close();
  }
}
