import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService } from '../../helpers/fake-service.js';
import { eventually } from '../../helpers/processes.js';
import { describeLostWaits } from './describe-lost-waits.js';
import type { Random } from './random.js';
import { WaitingNodeRed } from './waiting-node-red.js';

/** The result of `killWhileWaiting`. `lost` and `unmarked` must be empty. */
export interface KillFindings {
  kills: number;
  /** The kills after which the machine seemed to have booted. */
  boots: number;
  waits: number;
  repeats: number;
  /** The operations whose messages were not sent. */
  lost: string[];
  /** A description of the lost messages: journal, requests, log. Empty if there are none. */
  evidence: string;
  /** The operations whose messages were sent again without `isRepeat`. */
  unmarked: string[];
}

/** The fraction of kills after which the machine seems to have booted, as after a power failure. */
const BOOT_FRACTION = 0.1;
/** The delay before a kill. `duringArrivals`: the maximum while messages are being sent. */
const KILL_DELAY_MS = { min: 0, duringArrivals: 60, max: 400 };
/** Long enough for a busy machine. */
const COMPLETION_TIMEOUT_MS = 180_000;

/**
 * Kills Node-RED repeatedly with SIGKILL while at least `pending` messages wait for operations: first while all of them
 * wait, then at random times while operations complete and new messages arrive. Then starts it a last time and compares
 * the sent messages. Some starts find another boot of the machine.
 */
export async function killWhileWaiting(options: {
  kills: number;
  pending: number;
  random: Random;
}): Promise<KillFindings> {
  const { kills, pending, random } = options;
  const service = await FakeService.start();
  const nodeRed = new WaitingNodeRed(service);
  const accepted = new Set<string>();
  let boots = 0;

  const send = async (): Promise<void> => {
    const operationId = service.addOperation('repair', { pollsLeft: Number.POSITIVE_INFINITY });
    await nodeRed.wait(operationId);
    accepted.add(operationId);
  };
  const complete = (fraction: number): void => {
    for (const operation of service.operations.values()) if (random.next() < fraction) operation.pollsLeft = 0;
  };
  const arrivedIds = () => new Set(nodeRed.arrivals().map(({ operationId }) => operationId));
  // Compares ids, not counts: a message whose request was interrupted may still be sent.
  const outstanding = (): string[] => {
    const arrived = arrivedIds();
    return [...accepted].filter((id) => !arrived.has(id));
  };

  try {
    for (let kill = 1; kill <= kills; kill += 1) {
      await nodeRed.start();
      while (outstanding().length < pending) await send();
      if (kill > 1) {
        const earlier = nodeRed.arrivals().length;
        const isDuringArrivals = random.next() < 0.5;
        complete(0.5);
        // The kill may interrupt these requests. Messages without a 200 need not be sent.
        const sending = Promise.allSettled([send(), send(), send()]);
        // On a busy machine, the first message is sent long after the maximum delay.
        const hasNewArrival = () => nodeRed.arrivals().length > earlier;
        if (isDuringArrivals) await eventually('a message has been sent', hasNewArrival).catch(() => undefined);
        const maxMs = isDuringArrivals ? KILL_DELAY_MS.duringArrivals : KILL_DELAY_MS.max;
        await sleep(random.integer(KILL_DELAY_MS.min, maxMs));
        await nodeRed.kill();
        await sending;
      }
      await nodeRed.kill();
      if (random.next() < BOOT_FRACTION) {
        nodeRed.simulateBoot();
        boots += 1;
      }
    }
    complete(1);
    await nodeRed.start();
    const hasSentAll = () => outstanding().length === 0;
    await eventually('all messages have been sent', hasSentAll, COMPLETION_TIMEOUT_MS).catch(() => undefined);
    const lost = outstanding();
    const visited = new Set<string>();
    const repeats = nodeRed
      .arrivals()
      .filter(({ operationId }) => visited.has(operationId) || !visited.add(operationId));
    return {
      kills,
      boots,
      waits: accepted.size,
      repeats: repeats.length,
      lost,
      evidence: describeLostWaits(lost, nodeRed, service),
      unmarked: repeats.filter(({ isRepeat }) => !isRepeat).map(({ operationId }) => operationId),
    };
  } finally {
    await nodeRed.remove();
    await service.stop();
  }
}
