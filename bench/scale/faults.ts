import { eventually } from '../../test/helpers/processes.js';
import type { Calls } from '../../test/service/support/account.js';
import { median, roundTo } from '../service/service-process.js';
import type { BenchProcess, Environment } from './environment.js';

const SLOTS = 2;
const KILLS = 10;
const CANCELLATIONS = 20;
const LONG_MS = 600_000;

async function startLong(user: Calls): Promise<string> {
  const { fileId } = (await user.upload('solid', `${LONG_MS}.stl`)).body;
  return (await user.post('import', { fileId })).body.operationId;
}

/** Waits until these operations run in this attempt. Resolves with how long the last one took, in ms. */
async function waitForAttempt({ machines }: Environment, ids: readonly string[], attempts: number): Promise<number[]> {
  const begin = performance.now();
  const times = new Map<string, number>();
  await eventually('all operations run', async () => {
    const rows = await machines.query(`select id from operation
      where id in ('${ids.join("','")}') and state = 'running' and attempts = ${attempts}`);
    for (const { id } of rows) if (!times.has(String(id))) times.set(String(id), performance.now() - begin);
    return times.size === ids.length;
  });
  return [...times.values()];
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}

/** Measures the time from the death of a worker until another one runs its operations. */
export async function measureRedelivery(environment: Environment) {
  const api = await environment.startApi();
  const user = await environment.machines.logIn(api.baseUrl);
  let busy: BenchProcess = await environment.startStubWorker(SLOTS);
  const ids = [await startLong(user), await startLong(user)];
  await waitForAttempt(environment, ids, 1);
  const seconds: number[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    // Counted as deaths of a worker, some more would end the operations.
    await environment.machines.query('update operation set attempts = 1');
    const next = await environment.startStubWorker(SLOTS);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2000)); // any moment between two renewals
    void busy.end('SIGKILL');
    seconds.push(...(await waitForAttempt(environment, ids, 2)).map((ms) => ms / 1000));
    busy = next;
  }
  return { count: seconds.length, p50: roundTo(median(seconds)), p95: roundTo(p95(seconds)), reach: 15 };
}

/** Measures the time from the request of a cancellation until the worker has ended the kernel process, in seconds. */
export async function measureCancellation(environment: Environment) {
  const api = await environment.startApi();
  const user = await environment.machines.logIn(api.baseUrl);
  const endedAt = new Map<string, number>();
  await environment.startStubWorker(SLOTS, (line) => {
    const { msg, operationId } = JSON.parse(line);
    if (msg === 'Cancelled') endedAt.set(operationId, performance.now());
  });
  const seconds: number[] = [];
  while (seconds.length < CANCELLATIONS) {
    const id = await startLong(user);
    await waitForAttempt(environment, [id], 1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2000)); // any moment between two renewals
    const requestedAt = performance.now();
    const { status } = await user.remove(id);
    if (status !== 200) throw new Error(`Could not cancel an operation: ${status}`);
    await eventually('the worker has ended the run', () => endedAt.has(id));
    seconds.push(((endedAt.get(id) ?? Number.NaN) - requestedAt) / 1000);
  }
  return { count: seconds.length, p50: roundTo(median(seconds)), most: roundTo(Math.max(...seconds)), reach: 3 };
}
