import path from 'node:path';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { eventually, findDescendants } from '../helpers/processes.js';
import { askForToken, callsWith, logIn } from './support/account.js';
import { createFolder, removeFolder } from './support/data-folder.js';
import { CUBE } from './support/models.js';
import { startService } from './support/running.js';
import { addUserWithPassword } from './support/users.js';

const KERNEL = path.resolve('test/service/support/kernels/by-filename.mjs');

describe('A kernel process that is killed from outside', () => {
  let folder: string;
  let service: RunningService;

  beforeEach(async () => {
    folder = await createFolder();
    service = await startService(folder, { kernelProgram: KERNEL, plan: { workers: 2, jobMemoryBytes: 1024 ** 3 } });
  });

  afterEach(async () => {
    await service.close();
    await removeFolder(folder);
  });

  it('fails the operation of its user with 42207, and that of no other user', async () => {
    await addUserWithPassword(folder, 'bob', 'a password');
    const { body } = await askForToken(folder, { grant_type: 'password', username: 'bob', password: 'a password' });
    const [ann, bob] = [await logIn(folder), callsWith(service.baseUrl, body.access_token)];
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
