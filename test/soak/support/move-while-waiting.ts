import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService } from '../../helpers/fake-service.js';
import { eventually } from '../../helpers/processes.js';
import { isReachable, PLACES, type Place, placeNodes } from './place-nodes.js';
import type { Random } from './random.js';
import { STREAM_NODES } from './stream-nodes.js';
import { WaitingNodeRed } from './waiting-node-red.js';

/** The result of `moveWhileWaiting`. `lost`, `unmarked` and `slowCloses` must be empty or 0. */
export interface MoveFindings {
  moves: number;
  /** The moves after which Node-RED was killed. */
  kills: number;
  clockJumps: number;
  waits: number;
  repeats: number;
  /** Uploads of cloned streams that were refused. */
  refusedClones: number;
  /** The operations whose messages were not sent. */
  lost: string[];
  /** The operations whose messages were sent again without `isRepeat`. */
  unmarked: string[];
  /** The number of nodes that took two seconds to close. */
  slowCloses: number;
}

const HOUR_MS = 3_600_000;
const CLOCK_JUMPS_MS = [0, HOUR_MS, -HOUR_MS, 87_600 * HOUR_MS, -87_600 * HOUR_MS];
const DEPLOY_TYPES = ['full', 'flows', 'nodes'] as const;
const MAX_DELAY_MS = 100;
const NEVER = 1e9;
/** Long enough for a busy machine. */
const COMPLETION_TIMEOUT_MS = 180_000;

/**
 * Moves the wait node repeatedly while messages wait: to another tab or group, into subflows and back, and disables it. Also
 * changes the wall clock, kills Node-RED, and starts uploads of streams without data and of their clones. Then compares the
 * sent messages.
 */
export async function moveWhileWaiting(options: { moves: number; random: Random }): Promise<MoveFindings> {
  const { moves, random } = options;
  const service = await FakeService.start();
  const nodeRed = new WaitingNodeRed(service, STREAM_NODES);
  const accepted = new Set<string>();
  const counts = { kills: 0, clockJumps: 0, refusedClones: 0, slowCloses: 0 };
  let place: Place = 'tab';

  const send = async (): Promise<void> => {
    const operationId = service.addOperation('repair', { pollsLeft: NEVER });
    await nodeRed.wait(operationId);
    // On the way through link nodes and subflows, a reply may be sent before the wait node has the message.
    await eventually('the message waits', () => (service.operations.get(operationId)?.pollsLeft ?? 0) < NEVER);
    accepted.add(operationId);
  };
  const complete = (fraction: number): void => {
    for (const operation of service.operations.values()) if (random.next() < fraction) operation.pollsLeft = 0;
  };
  const outstanding = (): string[] => {
    const arrived = new Set(nodeRed.arrivals().map(({ operationId }) => operationId));
    return [...accepted].filter((id) => !arrived.has(id));
  };
  const countLog = (): void => {
    counts.refusedClones += nodeRed.log().match(/Cloned stream/g)?.length ?? 0;
    counts.slowCloses += nodeRed.log().match(/Close timed out/g)?.length ?? 0;
  };
  const restart = async (): Promise<void> => {
    await nodeRed.kill();
    counts.kills += 1;
    countLog();
    await nodeRed.start();
  };

  try {
    await nodeRed.start();
    for (let move = 0; move < moves; move += 1) {
      if (isReachable(place)) await Promise.all([send(), send(), send()]);
      if (random.next() < 0.3) await nodeRed.post('/stream', { isStalled: true });
      if (random.next() < 0.3) {
        await nodeRed.shiftClock(random.pick(CLOCK_JUMPS_MS));
        counts.clockJumps += 1;
      }
      complete(0.3);
      await sleep(random.integer(0, MAX_DELAY_MS));
      place = random.pick(PLACES);
      await nodeRed.deploy(placeNodes(nodeRed.flow, place), random.pick(DEPLOY_TYPES));
      if (random.next() < 0.1) await restart();
    }
    complete(1);
    await nodeRed.deploy(nodeRed.flow, 'full');
    const hasSentAll = () => outstanding().length === 0;
    await eventually('all messages have been sent', hasSentAll, COMPLETION_TIMEOUT_MS).catch(() => undefined);
    await nodeRed.stop();
    countLog();
    const visited = new Set<string>();
    const repeats = nodeRed
      .arrivals()
      .filter(({ operationId }) => visited.has(operationId) || !visited.add(operationId));
    return {
      moves,
      ...counts,
      waits: accepted.size,
      repeats: repeats.length,
      lost: outstanding(),
      unmarked: repeats.filter(({ isRepeat }) => !isRepeat).map(({ operationId }) => operationId),
    };
  } finally {
    await nodeRed.remove();
    await service.stop();
  }
}
