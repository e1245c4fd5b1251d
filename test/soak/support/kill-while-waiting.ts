import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService } from '../../helpers/fake-service.js';
import { eventually } from '../../helpers/processes.js';
import { describeLostWaits } from './lost-waits.js';
import type { Random } from './random.js';
import { WaitingNodeRed } from './waiting-node-red.js';

/** What came of it. `lost` and `unmarked` (messages that came again and did not say so) must be empty. */
export interface KillFindings {
  kills: number;
  waits: number;
  repeats: number;
  lost: string[];
  /** What is known of the lost ones: journal, requests, log. Empty if there are none. */
  evidence: string;
  unmarked: string[];
}

const MOMENT_MS = { least: 0, amidArrivals: 60, most: 400 };
/** A machine that has much else to do may need as long. */
const END_MS = 180_000;

/**
 * Kills Node-RED with SIGKILL again and again while `pending` messages wait for operations: first while all of them do, then at random
 * moments while operations complete and new messages come. Then starts it a last time and looks at what came out.
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

  const send = async (): Promise<void> => {
    const operationId = service.addOperation('repair', { looksLeft: Number.POSITIVE_INFINITY });
    await nodeRed.wait(operationId);
    accepted.add(operationId);
  };
  const complete = (fraction: number): void => {
    for (const operation of service.operations.values()) if (random.next() < fraction) operation.looksLeft = 0;
  };
  const arrivedIds = () => new Set(nodeRed.arrivals().map(({ operationId }) => operationId));
  // What was cut off before it was accepted may come out all the same: counts of both say nothing of those that are missing.
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
        const isAmidArrivals = random.next() < 0.5;
        complete(0.5);
        // Cut off in the middle, like the rest: what was not accepted was not promised.
        const sending = Promise.allSettled([send(), send(), send()]);
        // On a busy machine the first message comes out long after the last moment that is drawn.
        const isAnyOut = () => nodeRed.arrivals().length > earlier;
        if (isAmidArrivals) await eventually('a message is out', isAnyOut).catch(() => undefined);
        await sleep(random.whole(MOMENT_MS.least, isAmidArrivals ? MOMENT_MS.amidArrivals : MOMENT_MS.most));
        await nodeRed.kill();
        await sending;
      }
      await nodeRed.kill();
    }
    complete(1);
    await nodeRed.start();
    await eventually('all messages are out', () => outstanding().length === 0, END_MS).catch(() => undefined);
    const lost = outstanding();
    const seen = new Set<string>();
    const again = nodeRed.arrivals().filter(({ operationId }) => seen.has(operationId) || !seen.add(operationId));
    return {
      kills,
      waits: accepted.size,
      repeats: again.length,
      lost,
      evidence: describeLostWaits(lost, nodeRed, service),
      unmarked: again.filter(({ isRepeat }) => !isRepeat).map(({ operationId }) => operationId),
    };
  } finally {
    await nodeRed.remove();
    await service.stop();
  }
}
