// Kills Node-RED with SIGKILL while messages wait for operations, and deploys anew in the middle of uploads, waits and downloads; then looks
// at what became of the messages, and at what Node-RED still holds. `npm run soak` kills 500 times and deploys 100 times;
// `npx tsx test/soak/waits.ts --kills 3 --redeploys 10 --seed 42` as often and as random as said. Needs Linux (/proc) and
// `npm run build`. Prints counts; exit status 1 when a promise was broken.
import { parseArgs } from 'node:util';
import { killWhileWaiting } from './support/kill-while-waiting.js';
import { createRandom } from './support/random.js';
import { redeployInTheMiddle } from './support/redeploy-in-the-middle.js';

const PENDING = 50;

const { values } = parseArgs({
  options: { kills: { type: 'string' }, redeploys: { type: 'string' }, seed: { type: 'string' } },
});
const kills = Number(values.kills ?? 20);
const redeploys = Number(values.redeploys ?? 100);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = createRandom(seed);
const broken: string[] = [];

console.log(`killing Node-RED ${kills} times while at least ${PENDING} messages wait, seed ${seed}`);
const killed = await killWhileWaiting({ kills, pending: PENDING, random });
const { evidence, ...counted } = killed;
console.log({ ...counted, lost: killed.lost.length, unmarked: killed.unmarked.length });
if (evidence !== '') console.error(evidence);
if (killed.lost.length > 0) broken.push(`${killed.lost.length} messages were lost`);
if (killed.unmarked.length > 0) broken.push(`${killed.unmarked.length} messages came again without being marked`);

if (redeploys > 0) {
  console.log(`deploying anew ${redeploys} times in the middle of uploads, waits and downloads`);
  const deployed = await redeployInTheMiddle({ redeploys, random });
  console.log({ ...deployed, lost: deployed.lost.length, twice: deployed.twice.length });
  if (deployed.lost.length > 0) broken.push(`${deployed.lost.length} waits were lost`);
  if (deployed.twice.length > 0) broken.push(`${deployed.twice.length} messages came twice`);
  const [before, after] = [deployed.before, deployed.after].map((counts) => JSON.stringify(counts));
  if (before !== after) broken.push(`Node-RED holds ${after}, and held ${before}`);
}

for (const what of broken) console.error(`BROKEN: ${what}`);
if (broken.length > 0) process.exitCode = 1;
