import path from 'node:path';
import should from 'should';
import { eventually, findDescendants } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { CUBE } from './support/models.js';
import { addSignedInUser } from './support/users.js';
import { withService } from './support/with-service.js';

const KERNEL = path.resolve('test/service/support/kernels/by-filename.mjs');

describe('A kernel process that is killed from outside', () => {
  let folder: string;
  let ann: Calls;

  withService((bench) => ({ folder, api: ann } = bench), {
    kernelProgram: KERNEL,
    plan: { workers: 2, jobMemoryBytes: 1024 ** 3 },
  });

  it('fails the operation of its user with 42207, and that of no other user', async () => {
    const bob = await addSignedInUser(folder, 'bob');
    const hanging = await ann.upload(CUBE, 'hang.stl');
    const { operationId } = (await ann.post('import', { fileId: hanging.body.fileId })).body;
    const child = await eventually('its process runs', () =>
      findDescendants(process.pid).find(({ command }) => command.includes(KERNEL)),
    );
    const other = await bob.upload(CUBE, 'cube.stl');
    const running = bob.run('import', { fileId: other.body.fileId });
    process.kill(child.pid, 'SIGKILL');
    should((await ann.untilCompleted(operationId)).body).match({
      isSuccessful: false,
      error: { code: 42207, message: /ended from outside \(SIGKILL\)/ },
    });
    should((await running).status.body.isSuccessful).equal(true);
  });
});
