// Soak test: kills Node-RED with SIGKILL while messages wait for operations, redeploys during uploads, waits and
// downloads, and moves the node that waits (see `moveWhileWaiting`). Then checks that no message was lost or duplicated, and that Node-RED has released its resources. `npm run
// soak` kills 500 times, redeploys 100 times and moves 200 times; `npx tsx test/soak/waits.ts --kills 3 --redeploys 10 --moves
// 20 --seed 42` sets the numbers and the random seed. Requires Linux (/proc) and `npm run build`. Prints counts. Exits with 1 after a
// violation.
import { parseArgs } from 'node:util';
import { killWhileWaiting } from './support/kill-while-waiting.js';
import { moveWhileWaiting } from './support/move-while-waiting.js';
import { createRandom } from './support/random.js';
import { redeployDuringWork } from './support/redeploy-during-work.js';

const PENDING = 50;

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    redeploys: { type: 'string' },
    moves: { type: 'string' },
    seed: { type: 'string' },
  },
});
const kills = Number(values.kills ?? 20);
const redeploys = Number(values.redeploys ?? 100);
const moves = Number(values.moves ?? 20);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = createRandom(seed);
const violations: string[] = [];

console.log(`killing Node-RED ${kills} times while at least ${PENDING} messages wait, seed ${seed}`);
if (kills > 0) {
  const { evidence, lost, unmarked, ...counts } = await killWhileWaiting({ kills, pending: PENDING, random });
  console.log({ ...counts, lost: lost.length, unmarked: unmarked.length });
  if (evidence !== '') console.error(evidence);
  if (lost.length > 0) violations.push(`${lost.length} messages were lost`);
  if (unmarked.length > 0) violations.push(`${unmarked.length} messages were sent again without isRepeat`);
}

if (redeploys > 0) {
  console.log(`redeploying ${redeploys} times during uploads, waits and downloads`);
  const findings = await redeployDuringWork({ redeploys, random });
  console.log({ ...findings, lost: findings.lost.length, duplicates: findings.duplicates.length });
  if (findings.lost.length > 0)
    violations.push(`${findings.lost.length} messages were lost: ${findings.lost.join(', ')}`);
  if (findings.duplicates.length > 0) violations.push(`${findings.duplicates.length} messages were sent twice`);
  const [before, after] = [findings.before, findings.after].map((resources) => JSON.stringify(resources));
  if (before !== after) violations.push(`Node-RED has the resources ${after}; before it had ${before}`);
}

if (moves > 0) {
  console.log(`moving the node ${moves} times while messages wait`);
  const findings = await moveWhileWaiting({ moves, random });
  console.log({ ...findings, lost: findings.lost.length, unmarked: findings.unmarked.length });
  if (findings.lost.length > 0)
    violations.push(`${findings.lost.length} messages were lost by moves: ${findings.lost.join(', ')}`);
  if (findings.unmarked.length > 0)
    violations.push(`${findings.unmarked.length} messages were sent again without isRepeat`);
  if (findings.slowCloses > 0) violations.push(`${findings.slowCloses} nodes took two seconds to close`);
}

for (const violation of violations) console.error(`VIOLATION: ${violation}`);
if (violations.length > 0) process.exitCode = 1;
