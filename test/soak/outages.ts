// Cuts a service off from Node-RED, again and again and in five ways, while a hundred messages are under way, and looks at what becomes of each.
// `npm run soak` makes 1,000 outages; `npx tsx test/soak/outages.ts --outages 100 --longest 5 --parallel 4 --seed 42` as many, as long (in
// seconds), in as many Node-REDs side by side and as random as said. Needs `npm run build`. Prints counts; exit status 1 when a promise was broken.
import { parseArgs } from 'node:util';
import { OUTAGE_KINDS } from './support/fault-proxy.js';
import { MESSAGE_KINDS, type MessageEnd, type MessageKind } from './support/outage-node-red.js';
import { type FailedMessage, makeOutages, type Round } from './support/outage-rounds.js';
import { createRandom } from './support/random.js';

/** An outage below this may cost one message in a hundred. */
const SHORT_MS = 5_000;
const MAX_SHORT_COST = 0.01;
const MAX_PRINTED = 50;

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

type Count = { messages: number; failed: number; unknown: number };

/** How many messages ended in an error. Starts of which nobody can know whether they were accepted are counted apart. */
function count(rounds: readonly Round[], kind?: MessageKind): Count {
  const isCounted = (entry: { kind: MessageKind }) => kind === undefined || entry.kind === kind;
  const failures = rounds.flatMap((round) => round.failures).filter(isCounted);
  const failed = failures.filter(isFailed).length;
  const messages = rounds.flatMap((round) => round.messages).filter(isCounted).length;
  return { messages, failed, unknown: failures.length - failed };
}

function isFailed({ code }: MessageEnd): boolean {
  return code !== 'OUTCOME_UNKNOWN';
}

/** Whether a message ended in an error although its operation ran: nothing in an outage may end a wait. */
function isFailedWait({ node, message = '' }: MessageEnd): boolean {
  return node === 'wait' || (node === 'process' && /status of operation|result of|not completed within/.test(message));
}

/** All that is known of a message that should have gone well. */
function describeFailure(round: Round, end: FailedMessage): string {
  return [`${describeOutage(round)}: ${end.kind} ${end.n}: ${end.message}`, ...end.requests].join('\n    ');
}

function describeOutage({ kind, durationMs }: Round): string {
  return `${kind} of ${Math.round(durationMs)} ms`;
}

console.log(`${outages} outages of 0.1 to ${longest} s, ${parallel} Node-REDs side by side, seed ${seed}`);
const started = performance.now();
const shares = Array.from({ length: parallel }, (_, index) => Math.floor((outages + index) / parallel));
const all = await Promise.all(
  shares.map((fraction, index) => makeOutages(fraction, longest * 1000, createRandom(seed + index))),
);
const rounds = all.flatMap((findings) => findings.rounds);
const broken: string[] = [];

function isShort({ durationMs }: Round) {
  return durationMs < SHORT_MS;
}

for (const kind of OUTAGE_KINDS) {
  const ofKind = rounds.filter((round) => round.kind === kind);
  for (const [length, some] of [
    ['short', ofKind.filter(isShort)],
    ['long', ofKind.filter((round) => !isShort(round))],
  ] as const)
    console.log(`${kind}, ${length}:`, { outages: some.length, ...count(some) });
}
for (const kind of MESSAGE_KINDS) console.log(`messages of the kind ${kind}:`, count(rounds, kind));
const codes: Record<string, number> = {};
for (const { code = '' } of rounds.flatMap(({ failures }) => failures)) codes[code] = (codes[code] ?? 0) + 1;
console.log({
  outages: rounds.length,
  ...count(rounds),
  duringUploads: rounds.filter(({ isDuringUpload }) => isDuringUpload).length,
  codes,
  seconds: Math.round((performance.now() - started) / 1000),
});

for (const round of rounds) {
  const failures = round.failures.filter(isFailed);
  const described = failures.map((end) => describeFailure(round, end));
  const max = round.messages.length * MAX_SHORT_COST;
  if (isShort(round) && failures.length > max)
    broken.push(`${failures.length} messages ended by\n  ${described.join('\n  ')}`);
  for (const end of round.failures.filter(isFailedWait)) broken.push(`a wait ended by ${describeFailure(round, end)}`);
  if (round.lost.length > 0) {
    const names = round.lost.map(({ n, kind }) => `${kind} ${n}`).join(', ');
    broken.push(`lost in ${describeOutage(round)}: ${names}; Node-RED logged:\n  ${round.log.join('\n  ')}`);
  }
  if (!isShort(round) || failures.length <= max) for (const each of described) console.log(`ended by ${each}`);
}
for (const { twice, isAlive, trouble } of all) {
  for (const message of twice) broken.push(`twice without isRepeat: ${message}`);
  if (!isAlive) broken.push('Node-RED ended');
  if (trouble.length > 0) broken.push(`Node-RED logged: ${trouble.join('\n  ')}`);
}
if (rounds.length < outages) broken.push(`only ${rounds.length} of ${outages} outages were made`);
for (const what of broken.slice(0, MAX_PRINTED)) console.error(`BROKEN: ${what}`);
if (broken.length > MAX_PRINTED) console.error(`BROKEN: ${broken.length - MAX_PRINTED} more`);
if (broken.length > 0) process.exitCode = 1;
