// Cuts a service off from Node-RED, again and again and in five ways, while a hundred messages are under way, and looks at what becomes of each.
// `npm run soak` makes 1,000 outages; `npx tsx test/soak/outages.ts --outages 100 --longest 5 --parallel 4 --seed 42` as many, as long (in
// seconds), in as many Node-REDs side by side and as random as said. Needs `npm run build`. Prints counts; exit status 1 when a promise was broken.
import { parseArgs } from 'node:util';
import { OUTAGE_KINDS } from './support/fault-proxy.js';
import { makeOutages, type Round } from './support/outage-rounds.js';
import { createRandom } from './support/random.js';

/** An outage below this may cost one message in a hundred. */
const SHORT_MS = 5_000;
const MAX_SHORT_COST = 0.01;

const { values } = parseArgs({
  options: {
    outages: { type: 'string', default: '1000' },
    longest: { type: 'string', default: '30' },
    parallel: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});
const [outages, longest, parallel, seed] = [values.outages, values.longest, values.parallel, values.seed].map(
  Number,
) as [number, number, number, number];

/** Messages that ended in an error; those of which nobody can know whether they were accepted are counted apart. */
function count(rounds: Round[]): { outages: number; messages: number; failed: number; unknown: number } {
  let [messages, failed, unknown] = [0, 0, 0];
  for (const { messageCount, errors } of rounds) {
    messages += messageCount;
    for (const [code, errorCount] of Object.entries(errors)) {
      if (code === 'OUTCOME_UNKNOWN') unknown += errorCount;
      else failed += errorCount;
    }
  }
  return { outages: rounds.length, messages, failed, unknown };
}

console.log(`${outages} outages of 0.1 to ${longest} s, ${parallel} Node-REDs side by side, seed ${seed}`);
const started = performance.now();
const shares = Array.from({ length: parallel }, (_, index) => Math.floor((outages + index) / parallel));
const all = await Promise.all(
  shares.map((share, index) => makeOutages(share, longest * 1000, createRandom(seed + index))),
);
const rounds = all.flatMap((findings) => findings.rounds);
const broken: string[] = [];

for (const kind of OUTAGE_KINDS) {
  const ofKind = rounds.filter((round) => round.kind === kind);
  const short = count(ofKind.filter(({ durationMs }) => durationMs < SHORT_MS));
  console.log(kind, { short, long: count(ofKind.filter(({ durationMs }) => durationMs >= SHORT_MS)) });
}
const short = count(rounds.filter(({ durationMs }) => durationMs < SHORT_MS));
const codes: Record<string, number> = {};
for (const { errors } of rounds) for (const [code, n] of Object.entries(errors)) codes[code] = (codes[code] ?? 0) + n;
console.log({
  ...count(rounds),
  duringUploads: rounds.filter(({ isDuringUpload }) => isDuringUpload).length,
  codes,
  short,
  seconds: Math.round((performance.now() - started) / 1000),
});

if (short.failed > short.messages * MAX_SHORT_COST)
  broken.push(`outages below 5 s ended ${short.failed} of ${short.messages} messages`);
for (const { failedWaits, kind, durationMs } of rounds)
  for (const wait of failedWaits) broken.push(`a wait ended by ${kind} of ${Math.round(durationMs)} ms: ${wait}`);
for (const { lost, twice, isAlive, trouble } of all) {
  for (const message of lost) broken.push(`lost: ${message}`);
  for (const message of twice) broken.push(`twice without isRepeat: ${message}`);
  if (!isAlive) broken.push(`Node-RED ended: ${trouble.join('\n')}`);
}
if (rounds.length < outages) broken.push(`only ${rounds.length} of ${outages} outages were made`);
for (const what of broken.slice(0, 50)) console.error(`BROKEN: ${what}`);
if (broken.length > 0) process.exitCode = 1;
