// Soak test: interrupts the connections between Node-RED and a service in five ways while 100 messages are in progress,
// and checks the outcome of each message. `npm run soak` runs 1,000 outages; `npx tsx test/soak/outages.ts --outages
// 100 --longest 5 --parallel 4 --seed 42` sets the number of outages, their longest duration in seconds, the number of
// concurrent Node-RED processes and the random seed. Requires `npm run build`. Prints counts. Exits with 1 after a
// violation.
import { parseArgs } from 'node:util';
import { OUTAGE_KINDS } from './support/fault-proxy.js';
import { MESSAGE_KINDS, type MessageEnd, type MessageKind } from './support/outage-node-red.js';
import { type FailedMessage, type Round, runOutages } from './support/outage-rounds.js';
import { createRandom } from './support/random.js';

/** A shorter outage may fail at most this fraction of the messages. */
const SHORT_MS = 5_000;
const MAX_FAILED_FRACTION = 0.01;
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

/** Counts messages, and those that ended in an error. Starts with an unknown outcome are counted separately. */
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

/** Returns whether a message failed although its operation was running: an outage must not end a wait. */
function isFailedWait({ node, message = '' }: MessageEnd): boolean {
  return node === 'wait' || (node === 'process' && /status of operation|result of|not completed within/.test(message));
}

/** Describes a failed message, with its requests. */
function describeFailure(round: Round, end: FailedMessage): string {
  return [`${describeOutage(round)}: ${end.kind} ${end.n}: ${end.message}`, ...end.requests].join('\n    ');
}

function describeOutage({ kind, durationMs }: Round): string {
  return `${kind} of ${Math.round(durationMs)} ms`;
}

console.log(`${outages} outages of 0.1 to ${longest} s, ${parallel} concurrent Node-RED processes, seed ${seed}`);
const startedAt = performance.now();
const outageCounts = Array.from({ length: parallel }, (_, index) => Math.floor((outages + index) / parallel));
const all = await Promise.all(
  outageCounts.map((outageCount, index) => runOutages(outageCount, longest * 1000, createRandom(seed + index))),
);
const rounds = all.flatMap((findings) => findings.rounds);
const violations: string[] = [];

function isShort({ durationMs }: Round) {
  return durationMs < SHORT_MS;
}

for (const kind of OUTAGE_KINDS) {
  const ofKind = rounds.filter((round) => round.kind === kind);
  for (const [length, selected] of [
    ['short', ofKind.filter(isShort)],
    ['long', ofKind.filter((round) => !isShort(round))],
  ] as const)
    console.log(`${kind}, ${length}:`, { outages: selected.length, ...count(selected) });
}
for (const kind of MESSAGE_KINDS) console.log(`messages of kind ${kind}:`, count(rounds, kind));
const codes: Record<string, number> = {};
for (const { code = '' } of rounds.flatMap(({ failures }) => failures)) codes[code] = (codes[code] ?? 0) + 1;
console.log({
  outages: rounds.length,
  ...count(rounds),
  duringUploads: rounds.filter(({ isDuringUpload }) => isDuringUpload).length,
  codes,
  seconds: Math.round((performance.now() - startedAt) / 1000),
});

for (const round of rounds) {
  const failures = round.failures.filter(isFailed);
  const descriptions = failures.map((end) => describeFailure(round, end));
  const maxFailures = round.messages.length * MAX_FAILED_FRACTION;
  if (isShort(round) && failures.length > maxFailures)
    violations.push(`${failures.length} messages failed in\n  ${descriptions.join('\n  ')}`);
  for (const end of round.failures.filter(isFailedWait))
    violations.push(`a wait failed in ${describeFailure(round, end)}`);
  if (round.lost.length > 0) {
    const names = round.lost.map(({ n, kind }) => `${kind} ${n}`).join(', ');
    violations.push(`lost in ${describeOutage(round)}: ${names}; Node-RED logged:\n  ${round.log.join('\n  ')}`);
  }
  if (!isShort(round) || failures.length <= maxFailures)
    for (const description of descriptions) console.log(`failed in ${description}`);
}
for (const { duplicates, isAlive, loggedErrors } of all) {
  for (const message of duplicates) violations.push(`sent twice without isRepeat: ${message}`);
  if (!isAlive) violations.push('Node-RED exited');
  if (loggedErrors.length > 0) violations.push(`Node-RED logged: ${loggedErrors.join('\n  ')}`);
}
if (rounds.length < outages) violations.push(`only ${rounds.length} of ${outages} outages were run`);
for (const violation of violations.slice(0, MAX_PRINTED)) console.error(`VIOLATION: ${violation}`);
if (violations.length > MAX_PRINTED) console.error(`VIOLATION: ${violations.length - MAX_PRINTED} more`);
if (violations.length > 0) process.exitCode = 1;
