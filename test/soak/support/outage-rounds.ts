import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService, type RecordedRequest } from '../../helpers/fake-service.js';
import { eventually } from '../../helpers/processes.js';
import { FaultProxy, OUTAGE_KINDS, type OutageKind } from './fault-proxy.js';
import { type MessageEnd, type MessageKind, OutageNodeRed } from './outage-node-red.js';
import type { Random } from './random.js';

/** A sent message. Its number identifies its end. */
interface SentMessage {
  n: number;
  kind: MessageKind;
}

/** A message that ended in an error, with the requests that name its file or its operations. */
export type FailedMessage = MessageEnd & { requests: string[] };

/** One outage, with the outcomes of the messages in progress. */
export interface Round {
  kind: OutageKind;
  durationMs: number;
  isDuringUpload: boolean;
  messages: SentMessage[];
  /** The messages that ended in an error. */
  failures: FailedMessage[];
  /** The messages that did not end within `ROUND_TIMEOUT_MS`. */
  lost: SentMessage[];
  /** The log of Node-RED if messages were lost, else empty. */
  log: string[];
}

/** The result of all outages of one Node-RED. `duplicates` and `loggedErrors` must be empty. */
export interface OutageFindings {
  rounds: Round[];
  /** The messages that were sent twice without `isRepeat`. */
  duplicates: string[];
  isAlive: boolean;
  loggedErrors: string[];
}

const MESSAGES: readonly (readonly [MessageKind, number])[] = [
  ['wait', 50],
  ['steps', 30],
  ['large', 5],
  ['process', 5],
  ['download', 10],
];
const MIN_OUTAGE_MS = 100;
/** The longest time that connections stay silent after an outage. */
const MAX_SILENCE_MS = 10_000;
const FILE_BYTES = 300_000;
/** The number of polls until an operation is completed after the outage. */
const POLLS_AFTERWARDS = 2;
/** Longer than all timeouts of the client until an error. */
const ROUND_TIMEOUT_MS = 600_000;

/** Runs outages one after another while messages pass through one Node-RED. Their durations are log-uniform. */
export async function runOutages(outages: number, maxOutageMs: number, random: Random): Promise<OutageFindings> {
  const service = await FakeService.start();
  // Short enough that tokens are renewed during outages.
  service.tokens.expiresIn = 10;
  const proxy = new FaultProxy(service.port);
  await proxy.listen();
  const nodeRed = new OutageNodeRed(proxy.baseUrl, service.account);
  const findings: OutageFindings = { rounds: [], duplicates: [], isAlive: true, loggedErrors: [] };
  const context = { service, proxy, nodeRed, random };
  try {
    await nodeRed.start();
    let n = 0;
    for (let outage = 0; outage < outages && nodeRed.isAlive; outage += 1) {
      const durationMs = MIN_OUTAGE_MS * (maxOutageMs / MIN_OUTAGE_MS) ** random.next();
      const kind = random.pick(OUTAGE_KINDS);
      const round = await runRound(context, n, { kind, durationMs, isDuringUpload: outage % 3 === 0 });
      findings.rounds.push(round);
      n += round.messages.length;
    }
    const endedNumbers = new Set<number>();
    for (const { n: number, kind, isRepeat } of nodeRed.ends()) {
      if (endedNumbers.has(number) && !isRepeat) findings.duplicates.push(`${kind} ${number}`);
      endedNumbers.add(number);
    }
    findings.isAlive = nodeRed.isAlive;
    findings.loggedErrors = nodeRed
      .log()
      .split('\n')
      .filter((line) => /unhandled|uncaught|\[red\]/i.test(line));
    return findings;
  } finally {
    await nodeRed.remove();
    proxy.close();
    await service.stop();
  }
}

interface OutageContext {
  service: FakeService;
  proxy: FaultProxy;
  nodeRed: OutageNodeRed;
  random: Random;
}

type Plan = Pick<Round, 'kind' | 'durationMs' | 'isDuringUpload'>;

/**
 * Runs one outage. `firstNumber`: the number of its first message.
 * 1. Sends messages until some are in progress, or until an upload starts.
 * 2. Starts the outage, and ends it after its duration.
 * 3. Completes the operations, ends silent connections and waits for the ends of all messages.
 */
async function runRound(context: OutageContext, firstNumber: number, plan: Plan): Promise<Round> {
  const { service, proxy, nodeRed, random } = context;
  // Operations complete only after the outage, so that all waits are in progress during it.
  service.pollsNeeded = Number.POSITIVE_INFINITY;
  const kinds = MESSAGES.flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
  const messages = shuffle(kinds, random).map((kind, index) => ({ n: firstNumber + index, kind }));
  const logOffset = nodeRed.log().length;
  const sending = await sendUntilInProgress(context, messages, plan.isDuringUpload);
  proxy.begin(plan.kind);
  await sleep(plan.durationMs);
  await proxy.end();
  await sending.ended;
  service.pollsNeeded = POLLS_AFTERWARDS;
  for (const operation of service.operations.values())
    operation.pollsLeft = Math.min(operation.pollsLeft, POLLS_AFTERWARDS);
  const silence = sleep(random.integer(0, MAX_SILENCE_MS)).then(() => proxy.endSilence());
  const ends = await untilEnded(nodeRed, messages);
  await silence;
  const failures = ends
    .filter(({ code }) => code !== undefined)
    .map((end) => ({ ...end, requests: findRequests(end, service.requests) }));
  const ended = new Set(ends.map(({ n }) => n));
  const lost = messages.filter(({ n }) => !ended.has(n));
  service.operations.clear();
  service.files.clear();
  service.requests.length = 0;
  return { ...plan, messages, failures, lost, log: lost.length > 0 ? nodeRed.log().slice(logOffset).split('\n') : [] };
}

/**
 * Sends all messages. Resolves when the outage can start: at an upload, or when a random number of messages is in the
 * flow. `ended` resolves when all messages are in the flow.
 */
async function sendUntilInProgress(
  { service, proxy, nodeRed, random }: OutageContext,
  messages: readonly SentMessage[],
  isDuringUpload: boolean,
): Promise<{ ended: Promise<unknown> }> {
  const fileId = service.addFile(Buffer.alloc(FILE_BYTES, 'model'), { etag: '"model"' });
  const createInput: Partial<Record<MessageKind, () => object>> = {
    wait: () => ({ operationId: service.addOperation('repair'), operation: 'repair' }),
    download: () => ({ fileId }),
  };
  const upload = proxy.nextUpload();
  let sentCount = 0;
  const sends = messages.map(async ({ n, kind }) => {
    await nodeRed.send(n, kind, createInput[kind]?.()).catch((error: unknown) => throwUnlessExited(nodeRed, error));
    sentCount += 1;
  });
  const minCount = random.integer(1, messages.length);
  if (isDuringUpload) await upload;
  else await eventually('some messages are in progress', () => sentCount >= minCount || !nodeRed.isAlive);
  return { ended: Promise.all(sends) };
}

/** Throws `error` unless Node-RED exits: the round then reports the messages that it did not receive as lost. */
async function throwUnlessExited(nodeRed: OutageNodeRed, error: unknown): Promise<void> {
  await eventually('Node-RED has exited', () => !nodeRed.isAlive).catch(() => {
    throw error;
  });
}

/** Returns the ends of these messages after all have ended, Node-RED has exited, or the timeout has passed. */
async function untilEnded(nodeRed: OutageNodeRed, messages: readonly SentMessage[]): Promise<MessageEnd[]> {
  const expected = new Set(messages.map(({ n }) => n));
  const ends = () => nodeRed.ends().filter(({ n }) => expected.has(n));
  const isOver = () => new Set(ends().map(({ n }) => n)).size === messages.length || !nodeRed.isAlive;
  await eventually('all messages have ended', isOver, ROUND_TIMEOUT_MS).catch(() => undefined);
  return ends();
}

/** Returns the requests that name the file or an operation of a message. */
function findRequests({ n, ids }: MessageEnd, requests: readonly RecordedRequest[]): string[] {
  const names = [...ids, `"part-${n}.stl"`];
  return requests
    .filter(({ path, body }) => names.some((name) => path.includes(name) || body.includes(name)))
    .map(({ method, path, bodyBytes }) => `${method} ${path} (${bodyBytes} bytes)`);
}

/** Returns the list in random order. */
function shuffle<T>(list: T[], random: Random): T[] {
  return list
    .map((item) => ({ item, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
