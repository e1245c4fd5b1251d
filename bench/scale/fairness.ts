import { eventually } from '../../test/helpers/processes.js';
import type { Calls } from '../../test/service/support/account.js';
import { roundTo } from '../service/service-process.js';
import type { Environment } from './environment.js';
import { runConcurrently } from './run-concurrently.js';

const BACKLOG = 3000;
const OWN = 20;
const WARM_UP = 50;
const SLOTS = 4;
const CONCURRENT_STARTS = 4;

async function startMany(user: Calls, count: number): Promise<string[]> {
  const { fileId } = (await user.upload('solid', '0.stl')).body;
  const ids: string[] = [];
  await runConcurrently(count, CONCURRENT_STARTS, async () => {
    ids.push((await user.post('import', { fileId })).body.operationId);
  });
  return ids;
}

/**
 * Measures how many operations of two other users, who have long queues, end between the first start of a third user and
 * the end of the third user's operations, while one worker runs.
 */
export async function measureFairness(environment: Environment) {
  const api = await environment.startApi();
  const [ann, bob, carl] = await environment.addUsers(api.baseUrl, 3);
  if (!ann || !bob || !carl) throw new Error('A user is missing.');
  await Promise.all([startMany(ann, BACKLOG), startMany(bob, BACKLOG)]);
  await environment.startStubWorker(SLOTS);
  await eventually('the worker is busy', async () => {
    const [row] = await environment.machines.query("select count(*)::int from operation where state = 'completed'");
    return Number(row?.count) >= WARM_UP;
  });
  const ids = await startMany(carl, OWN);
  for (const id of ids) await carl.untilCompleted(id);
  const [row] = await environment.machines.query(`
    with own as (
      select min(created_at) as first_start, max(finished_at) as last_end from operation where id in ('${ids.join("','")}')
    )
    select (own.last_end - own.first_start)::float8 / 1000 as seconds, count(*)::int as others from operation, own
    where finished_at between own.first_start and own.last_end and id not in ('${ids.join("','")}')
    group by own.first_start, own.last_end`);
  const others = Number(row?.others);
  return {
    waiting: 2 * BACKLOG,
    own: OWN,
    others,
    seconds: roundTo(Number(row?.seconds)),
    othersPerOwn: roundTo(others / OWN),
    reach: 3,
  };
}
