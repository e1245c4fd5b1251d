import path from 'node:path';
import should from 'should';
import { LIMITS } from '../../src/service/defaults.js';
import type { RunningService } from '../../src/service/serve.js';
import { eventually, findDescendants } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { useFolder } from './support/data-folder.js';
import { CUBE } from './support/models.js';
import { startService } from './support/running.js';
import { addUser, signIn } from './support/users.js';

const KERNEL = path.resolve('test/service/support/kernels/runs-many-jobs.mjs');
const DEADLINE_MS = 15_000;

function kernelPids(): number[] {
  return findDescendants(process.pid).flatMap(({ pid, command }) => (command.includes(KERNEL) ? [pid] : []));
}

describe('A kernel process that runs several operations', () => {
  let folder: string;
  let service: RunningService;
  let ann: Calls;
  let bob: Calls;

  const start = async (timeoutMs = LIMITS.operationTimeoutMs): Promise<void> => {
    const plan = { workers: 1, jobMemoryBytes: 256 * 1024 ** 2 };
    const limits = { operationTimeoutMs: timeoutMs, usedKernelIdleMs: 600_000 };
    service = await startService(folder, { kernelProgram: KERNEL, plan, limits, usesResultCache: false });
    for (const name of ['ann', 'bob']) await addUser(folder, name);
    ann = await signIn(folder, 'ann');
    bob = await signIn(folder, 'bob');
  };

  /** Runs an import that succeeds. Resolves with the id of the process that ran it, and still waits. */
  const importCube = async (user: Calls): Promise<number> => {
    const { fileId } = (await user.upload(CUBE, 'cube.stl')).body;
    const { status } = await user.run('import', { fileId });
    should(status.body.isSuccessful).equal(true);
    const pids = await eventually('one process waits', () => (kernelPids().length === 1 ? kernelPids() : undefined));
    return pids[0] ?? 0;
  };

  useFolder((created) => (folder = created));

  afterEach(async () => {
    await service.close();
    kernelPids().should.deepEqual([]);
  });

  it('runs those of one user only', async () => {
    await start();
    const pid = await importCube(ann);
    for (const _ of [2, 3]) (await importCube(ann)).should.equal(pid);
    const other = await importCube(bob);
    other.should.not.equal(pid);
    (await importCube(ann)).should.not.equal(other);
  });

  for (const [event, filename, error] of [
    ['is killed', 'hang.stl', { code: 42207, message: /ended from outside \(SIGKILL\)/ }],
    ['exceeds its memory limit', 'allocate.stl', { message: /^Out of memory: the limit per operation is 256 MiB/ }],
    ['crashes', 'crash.stl', { code: 42207, message: /SIGABRT/ }],
    ['passes its deadline', 'hang.stl', { message: /timed out after 15 s/ }],
  ] as const) {
    it(`fails only the tenth if it ${event} meanwhile, and runs none of the next user`, async () => {
      await start(event === 'passes its deadline' ? DEADLINE_MS : undefined);
      const pid = await importCube(ann);
      for (let count = 2; count < 10; count++) (await importCube(ann)).should.equal(pid);
      const { fileId } = (await ann.upload(CUBE, filename)).body;
      const { operationId } = (await ann.post('import', { fileId })).body;
      const nextFile = (await bob.upload(CUBE, 'cube.stl')).body.fileId;
      const next = bob.run('import', { fileId: nextFile });
      if (event === 'is killed') {
        await eventually('it runs', async () => (await ann.get(`${operationId}/status`)).body.progress);
        process.kill(pid, 'SIGKILL');
      }
      should((await ann.untilCompleted(operationId)).body).match({ isSuccessful: false, error });
      should((await next).status.body.isSuccessful).equal(true);
      kernelPids().should.not.containEql(pid);
      (await importCube(bob)).should.not.equal(pid);
    });
  }
});
