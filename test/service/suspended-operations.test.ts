import { readdir } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { createAccounts } from '../../src/service/store/accounts.js';
import { eventually, findDescendants, readStatus } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { addSignedInUser, withStore } from './support/users.js';
import { withServiceOfEachTest } from './support/with-service.js';

const KERNEL = path.resolve('test/service/support/kernels/by-filename.mjs');
const JOB_BYTES = 128 * 1024 ** 2;

function kernelProcesses() {
  return findDescendants(process.pid).filter(({ command }) => command.includes('by-filename.mjs'));
}

function suspendedProcesses() {
  return kernelProcesses().filter(({ pid }) => /^State:\s+T/m.test(readStatus(pid)));
}

describe('long operations of a user', () => {
  let folder: string;
  let ann: Calls;
  let bob: Calls;

  const start = withServiceOfEachTest((bench) => ({ folder, api: ann } = bench), { kernelProgram: KERNEL });
  const startWith = async (workers: number, operationTimeoutMs = 600_000): Promise<void> => {
    await start({ plan: { workers, jobMemoryBytes: JOB_BYTES }, limits: { operationTimeoutMs } });
    bob = await addSignedInUser(folder, 'bob');
  };

  const startImport = async (api: Calls, filename: string): Promise<string> => {
    const { body } = await api.upload('bytes', filename);
    return (await api.post('import', { fileId: body.fileId })).body.operationId;
  };

  const untilRunning = (api: Calls, id: string) =>
    eventually('it runs', async () => (await api.get(`${id}/status`)).body.startedAt);

  /** Lets an operation of ann be suspended for one of bob that does not end. Resolves with both ids. */
  const suspendOne = async (): Promise<[string, string]> => {
    const suspended = await startImport(ann, 'hang.stl');
    await untilRunning(ann, suspended);
    const running = await startImport(bob, 'hang.stl');
    await untilRunning(bob, running);
    await eventually('one is suspended, the other runs', () => {
      return suspendedProcesses().length === 1 && kernelProcesses().length === 2;
    });
    return [suspended, running];
  };

  const shouldFail = async (api: Calls, id: string, code: number): Promise<void> => {
    should((await api.untilCompleted(id)).body).match({ isSuccessful: false, error: { code } });
  };

  afterEach(async () => {
    await eventually('no kernel process remains', () => kernelProcesses().length === 0);
    should(await readdir(path.join(folder, 'temp'))).be.empty();
  });

  for (const [workers, name] of [
    [1, 'one worker'],
    [2, 'two workers'],
  ] as const) {
    it(`do not keep that of another user waiting for ${name}`, async () => {
      await startWith(workers);
      const ids = [];
      for (let count = 0; count < 4; count++) ids.push(await startImport(ann, 'hang.stl'));
      for (const id of ids.slice(0, workers)) await untilRunning(ann, id);
      const id = await startImport(bob, 'cube.stl');
      should((await bob.untilCompleted(id)).body.isSuccessful).equal(true);
      for (const each of ids) await ann.remove(each);
    });
  }

  it('are suspended meanwhile, and go on afterwards', async () => {
    await startWith(1);
    const [first, second] = await suspendOne();
    await bob.remove(second);
    await eventually('it goes on', () => suspendedProcesses().length === 0);
    await ann.remove(first);
  });

  it('keep those of further users waiting only until one of the other two ends', async () => {
    await startWith(1);
    const ids = await suspendOne();
    const cleo = await addSignedInUser(folder, 'cleo');
    const third = await startImport(cleo, 'cube.stl');
    await bob.remove(ids[1]);
    should((await cleo.untilCompleted(third)).body.isSuccessful).equal(true);
    await ann.remove(ids[0]);
  });

  it('end while they are suspended if they are cancelled', async () => {
    await startWith(1);
    const [suspended, running] = await suspendOne();
    await ann.remove(suspended);
    await eventually('only the other one is left', () => kernelProcesses().length === 1);
    await shouldFail(ann, suspended, 42217);
    await bob.remove(running);
  });

  it('end while they are suspended if their user is removed by another process', async () => {
    await startWith(1);
    const [suspended, running] = await suspendOne();
    await withStore(folder, async (store) => {
      const { owner } = await store
        .selectFrom('operation')
        .select('owner')
        .where('id', '=', suspended)
        .executeTakeFirstOrThrow();
      const user = await store.selectFrom('user').select('username').where('id', '=', owner).executeTakeFirstOrThrow();
      await createAccounts(store).removeUser(user.username);
    });
    await eventually('only the other one is left', () => kernelProcesses().length === 1);
    await bob.remove(running);
  });

  it('fail if their process is killed while it is suspended, and others run', async () => {
    await startWith(1);
    const [suspended, running] = await suspendOne();
    for (const { pid } of suspendedProcesses()) process.kill(pid, 'SIGKILL');
    await shouldFail(ann, suspended, 42207);
    await bob.remove(running);
    const next = await startImport(ann, 'cube.stl');
    should((await ann.untilCompleted(next)).body.isSuccessful).equal(true);
  });

  it('are not failed by their deadline while they are suspended, but by what was left of it afterwards', async () => {
    await startWith(1, 3000);
    const [suspended, running] = await suspendOne();
    await shouldFail(bob, running, 42206); // it began later
    should((await ann.get(`${suspended}/status`)).body.isCompleted).equal(false);
    await shouldFail(ann, suspended, 42206);
  });

  it('end with the service while they are suspended', async () => {
    await startWith(1);
    await suspendOne(); // the hooks close the service and look for its processes
  });
});
