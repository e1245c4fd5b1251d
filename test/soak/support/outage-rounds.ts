import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService, type RecordedRequest } from '../../helpers/fake-service.js';
import { eventually } from '../../helpers/processes.js';
import { FaultProxy, OUTAGE_KINDS, type OutageKind } from './fault-proxy.js';
import { type MessageEnd, type MessageKind, OutageNodeRed } from './outage-node-red.js';
import type { Random } from './random.js';

/** A message and its number, by which its ends are known. */
interface SentMessage {
  n: number;
  kind: MessageKind;
}

/** A message that ended in an error, and the requests that name its file or its operations. */
export type FailedMessage = MessageEnd & { requests: string[] };

/** One outage and what became of the messages under way. */
export interface Round {
  kind: OutageKind;
  durationMs: number;
  isDuringUpload: boolean;
  messages: SentMessage[];
  /** Messages that ended in an error, with what the service saw of them. */
  failures: FailedMessage[];
  /** Those of which nothing came within the longest time that a round may take. */
  lost: SentMessage[];
  /** What Node-RED logged, where messages were lost. */
  log: string[];
}

/** What came of one Node-RED. `twice` must be empty. */
export interface OutageFindings {
  rounds: Round[];
  twice: string[];
  isAlive: boolean;
  trouble: string[];
}

const MESSAGES: readonly (readonly [MessageKind, number])[] = [
  ['wait', 50],
  ['steps', 30],
  ['large', 5],
  ['process', 5],
  ['download', 10],
];
const SHORTEST_MS = 100;
/** How long connections that have gone silent stay so after an outage, at most. */
const SILENT_MS = 10_000;
const FILE_BYTES = 300_000;
/** How often an operation is asked for after the outage until it is completed. */
const LOOKS_AFTERWARDS = 2;
/** Longer than any time-out of the client on its way to an error. */
const ROUND_MS = 600_000;

/** Makes outages one after another while messages go through a Node-RED. */
export async function makeOutages(outages: number, longestMs: number, random: Random): Promise<OutageFindings> {
  const service = await FakeService.start();
  // Renewals of the token meet outages, too.
  service.expiresIn = 10;
  const proxy = new FaultProxy(service.port);
  await proxy.listen();
  const nodeRed = new OutageNodeRed(proxy.baseUrl, service.account);
  const findings: OutageFindings = { rounds: [], twice: [], isAlive: true, trouble: [] };
  const world = { service, proxy, nodeRed, random };
  try {
    await nodeRed.start();
    let n = 0;
    for (let outage = 0; outage < outages && nodeRed.isAlive; outage += 1) {
      const durationMs = SHORTEST_MS * (longestMs / SHORTEST_MS) ** random.next();
      const kind = random.oneOf(OUTAGE_KINDS);
      const round = await runRound(world, n, { kind, durationMs, isDuringUpload: outage % 3 === 0 });
      findings.rounds.push(round);
      n += round.messages.length;
    }
    const seen = new Set<number>();
    for (const { n: number, kind, isRepeat } of nodeRed.ends()) {
      if (seen.has(number) && !isRepeat) findings.twice.push(`${kind} ${number}`);
      seen.add(number);
    }
    findings.isAlive = nodeRed.isAlive;
    findings.trouble = nodeRed
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

interface World {
  service: FakeService;
  proxy: FaultProxy;
  nodeRed: OutageNodeRed;
  random: Random;
}

type Plan = Pick<Round, 'kind' | 'durationMs' | 'isDuringUpload'>;

async function runRound(world: World, first: number, plan: Plan): Promise<Round> {
  const { service, proxy, nodeRed, random } = world;
  // Operations complete once the outage is over, so that all waits are under way in it.
  service.looksNeeded = Number.POSITIVE_INFINITY;
  const kinds = MESSAGES.flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
  const messages = shuffle(kinds, random).map((kind, index) => ({ n: first + index, kind }));
  const logged = nodeRed.log().length;
  const sending = await sendUntilUnderWay(world, messages, plan.isDuringUpload);
  proxy.begin(plan.kind);
  await sleep(plan.durationMs);
  await proxy.end();
  await sending.ended;
  service.looksNeeded = LOOKS_AFTERWARDS;
  for (const operation of service.operations.values())
    operation.looksLeft = Math.min(operation.looksLeft, LOOKS_AFTERWARDS);
  const silence = sleep(random.whole(0, SILENT_MS)).then(() => proxy.endSilence());
  const ends = await untilEnded(nodeRed, messages);
  await silence;
  const failures = ends
    .filter(({ code }) => code !== undefined)
    .map((end) => ({ ...end, requests: requestsOf(end, service.requests) }));
  const ended = new Set(ends.map(({ n }) => n));
  const lost = messages.filter(({ n }) => !ended.has(n));
  service.operations.clear();
  service.files.clear();
  service.requests.length = 0;
  return { ...plan, messages, failures, lost, log: lost.length > 0 ? nodeRed.log().slice(logged).split('\n') : [] };
}

/** Resolves when the outage may begin: with an upload, or when a random part of the messages is in the flow. `ended`: all are. */
async function sendUntilUnderWay(
  { service, proxy, nodeRed, random }: World,
  messages: readonly SentMessage[],
  isDuringUpload: boolean,
): Promise<{ ended: Promise<unknown> }> {
  const fileId = service.addFile(Buffer.alloc(FILE_BYTES, 'model'), { etag: '"model"' });
  const given: Partial<Record<MessageKind, () => object>> = {
    wait: () => ({ operationId: service.addOperation('repair'), operation: 'repair' }),
    download: () => ({ fileId }),
  };
  const upload = proxy.nextUpload();
  let sentCount = 0;
  const sends = messages.map(async ({ n, kind }) => {
    await nodeRed.send(n, kind, given[kind]?.()).catch((error: unknown) => unlessEnded(nodeRed, error));
    sentCount += 1;
  });
  const minCount = random.whole(1, messages.length);
  if (isDuringUpload) await upload;
  else await eventually('some messages are under way', () => sentCount >= minCount || !nodeRed.isAlive);
  return { ended: Promise.all(sends) };
}

/** An outage that ends Node-RED is what is looked for: the messages that it did not take are lost. */
async function unlessEnded(nodeRed: OutageNodeRed, error: unknown): Promise<void> {
  await eventually('Node-RED has ended', () => !nodeRed.isAlive).catch(() => {
    throw error;
  });
}

/** The ends of these messages, once all have one, or none comes any more. */
async function untilEnded(nodeRed: OutageNodeRed, messages: readonly SentMessage[]): Promise<MessageEnd[]> {
  const expected = new Set(messages.map(({ n }) => n));
  const ends = () => nodeRed.ends().filter(({ n }) => expected.has(n));
  const isOver = () => new Set(ends().map(({ n }) => n)).size === messages.length || !nodeRed.isAlive;
  await eventually('all messages have ended', isOver, ROUND_MS).catch(() => undefined);
  return ends();
}

/** The requests that name the file or an operation of a message. */
function requestsOf({ n, ids }: MessageEnd, seen: readonly RecordedRequest[]): string[] {
  const names = [...ids, `"part-${n}.stl"`];
  return seen
    .filter(({ path, body }) => names.some((name) => path.includes(name) || body.includes(name)))
    .map(({ method, path, bodyBytes }) => `${method} ${path} (${bodyBytes} bytes)`);
}

function shuffle<T>(list: T[], random: Random): T[] {
  return list
    .map((item) => ({ item, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
