import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../helpers/processes.js';
import { type SeenRequest, StandInService } from '../../helpers/stand-in-service.js';
import { FaultProxy, OUTAGE_KINDS, type OutageKind } from './fault-proxy.js';
import { type MessageEnd, type MessageKind, OutageNodeRed } from './outage-node-red.js';
import type { Random } from './random.js';

/** One outage and what became of the messages under way. */
export interface Round {
  kind: OutageKind;
  durationMs: number;
  isDuringUpload: boolean;
  messages: { n: number; kind: MessageKind }[];
  /** Messages that ended in an error. */
  failures: MessageEnd[];
  /** Those of which nothing came within the longest time that a round may take. */
  lost: { n: number; kind: MessageKind }[];
  /** What the service saw of a failed message, and what Node-RED logged in this round. */
  seenOf: (end: MessageEnd) => string[];
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
/** Longer than any time-out of the client on its way to an error. */
const ROUND_MS = 600_000;

/** Makes outages one after another while messages go through a Node-RED. */
export async function makeOutages(outages: number, longestMs: number, random: Random): Promise<OutageFindings> {
  const service = await StandInService.start();
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
  service: StandInService;
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
  const fileId = service.addFile(Buffer.alloc(300_000, 'model'), { etag: '"model"' });
  const given: Partial<Record<MessageKind, () => object>> = {
    wait: () => ({ operationId: service.addOperation('repair'), operation: 'repair' }),
    download: () => ({ fileId }),
  };
  const upload = proxy.nextUpload();
  let sentCount = 0;
  const sends = messages.map(async ({ n, kind }) => {
    await nodeRed.send(n, kind, given[kind]?.());
    sentCount += 1;
  });
  const untilCount = random.whole(1, messages.length);
  if (plan.isDuringUpload) await upload;
  else await eventually('some messages are under way', () => sentCount >= untilCount);
  proxy.begin(plan.kind);
  await sleep(plan.durationMs);
  await proxy.end();
  await Promise.all(sends);
  service.looksNeeded = 2;
  for (const operation of service.operations.values()) operation.looksLeft = Math.min(operation.looksLeft, 2);
  const silence = sleep(random.whole(0, 10_000)).then(() => proxy.endSilence());
  const ends = () => nodeRed.ends().filter(({ n }) => n >= first && n < first + messages.length);
  const ended = () => new Set(ends().map(({ n }) => n));
  const isOver = () => ended().size === messages.length || !nodeRed.isAlive;
  await eventually('all messages have ended', isOver, ROUND_MS).catch(() => undefined);
  await silence;
  const seen = [...service.seen];
  service.operations.clear();
  service.files.clear();
  service.seen.length = 0;
  return {
    ...plan,
    messages,
    failures: ends().filter(({ code }) => code !== undefined),
    lost: messages.filter(({ n }) => !ended().has(n)),
    seenOf: (end) => requestsOf(end, seen),
    log: nodeRed.log().slice(logged).split('\n'),
  };
}

/** The requests that name the file or an operation of a message. */
function requestsOf({ n, ids }: MessageEnd, seen: readonly SeenRequest[]): string[] {
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
