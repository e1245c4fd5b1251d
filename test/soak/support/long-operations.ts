import { eventually, findKernelProcesses, readStatus } from '../../helpers/processes.js';
import type { Calls, Reply } from '../../service/support/account.js';
import { addSignedInUser, signIn } from '../../service/support/users.js';
import type { Random } from './random.js';

const USER = 'bob';
const OPERATION_COUNT = 2;
const CRASHED = 42207;
const CANCELLED = 42217;
// The shrinkwrap of so many random triangles takes about a minute.
const TRIANGLE_COUNT = 2000;

/** Long operations of a second user, which the service suspends for those of others. */
export interface LongOperations {
  /** Starts two of them, and waits until a process of one is stopped. `service`: the id of the process of the service. */
  untilSuspended(service: number): Promise<void>;
  /** Kills a process that is stopped, and waits until its operation has failed. To be called after `untilSuspended`. */
  killSuspended(service: number): Promise<void>;
  /** Cancels those that an earlier service has left. Throws if one has another end. */
  cancelAll(): Promise<void>;
  /** How often an operation was suspended, how many failed with their processes, and how many were cancelled. */
  counts: { suspended: number; failed: number; cancelled: number };
}

function createRandomTriangles(random: Random): Uint8Array {
  const bytes = new Uint8Array(84 + TRIANGLE_COUNT * 50);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, TRIANGLE_COUNT, true);
  for (let triangle = 0; triangle < TRIANGLE_COUNT; triangle++) {
    for (let value = 3; value < 12; value++) view.setFloat32(84 + triangle * 50 + value * 4, random.next() * 100, true);
  }
  return bytes;
}

function findSuspended(service: number): number | undefined {
  return findKernelProcesses(service).find(({ pid }) => /^State:\s+T/m.test(readStatus(pid)))?.pid;
}

/** Creates the operations of services with this data folder, which follow each other. */
export function createLongOperations(data: string, random: Random): LongOperations {
  let ids: string[] = [];
  let modelId: string | undefined;
  const counts = { suspended: 0, failed: 0, cancelled: 0 };

  const provideUser = (): Promise<Calls> => (modelId === undefined ? addSignedInUser(data, USER) : signIn(data, USER));

  const readAll = ({ get }: Calls): Promise<Reply[]> => Promise.all(ids.map((id) => get(`${id}/status`)));

  return {
    counts,

    async untilSuspended(service) {
      const user = await provideUser();
      modelId ??= await user.importModel(createRandomTriangles(random), 'random.stl');
      for (let count = 0; count < OPERATION_COUNT; count++) {
        const { body } = await user.post('shrinkwrap-repair', { inputId: modelId, accuracy: 'Detailed' });
        ids.push(body.operationId);
      }
      // A job that its process has not read would be run again in another process.
      const hasBegun = ({ body }: Reply): boolean => body.progress > 0;
      await eventually('both have begun', async () => (await readAll(user)).every(hasBegun));
      await eventually('a process is stopped', () => findSuspended(service));
      counts.suspended += 1;
    },

    async killSuspended(service) {
      const user = await signIn(data, USER);
      process.kill(await eventually('a process is stopped', () => findSuspended(service)), 'SIGKILL');
      const hasFailed = ({ body }: Reply): boolean => body.error?.code === CRASHED;
      await eventually('its operation has failed', async () => (await readAll(user)).some(hasFailed));
    },

    async cancelAll() {
      if (ids.length === 0) return;
      const user = await signIn(data, USER);
      for (const id of ids) {
        await user.remove(id);
        const { body } = await user.untilCompleted(id);
        const code = body.error?.code;
        if (code !== CRASHED && code !== CANCELLED) throw new Error(`Operation ${id} ended: ${JSON.stringify(body)}`);
        counts[code === CRASHED ? 'failed' : 'cancelled'] += 1;
      }
      ids = [];
    },
  };
}
