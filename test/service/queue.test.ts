import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { runHere } from '../cli/support/run-here.js';
import { eventually } from '../helpers/processes.js';
import { type Calls, logIn } from './support/account.js';
import { CUBE } from './support/models.js';
import { hangs, performHere } from './support/run-jobs.js';
import { addSignedInUser, signIn } from './support/users.js';
import { withServiceOfEachTest } from './support/with-service.js';

describe('the queue of the service', () => {
  let folder: string;
  let service: RunningService;
  const start = withServiceOfEachTest((bench) => ({ folder, service } = bench), { runJob: hangs });

  /** Starts a service whose jobs never end, with two users and a file of each. */
  const startWithTwoUsers = async (limits: object = {}) => {
    await start({ limits });
    const [ann, bob] = [await addSignedInUser(folder, 'ann'), await addSignedInUser(folder, 'bob')];
    const annFile = { fileId: (await ann.upload(CUBE, 'a.stl')).body.fileId };
    const bobFile = { fileId: (await bob.upload(CUBE, 'b.stl')).body.fileId };
    return { ann, bob, annFile, bobFile };
  };
  const untilRunning = (calls: Calls, operationId: string) =>
    eventually(
      'the operation runs',
      async () => (await calls.get(`${operationId}/status`)).body.startedAt !== undefined,
    );

  it('refuses the starts of a user who has too many waiting with 429, and not those of another one', async () => {
    const { ann, bob, annFile, bobFile } = await startWithTwoUsers({ maxQueuedPerUser: 2 });
    await untilRunning(bob, (await bob.post('import', bobFile)).body.operationId);
    for (let count = 0; count < 2; count++) should((await bob.post('import', bobFile)).status).equal(200);
    const refused = await bob.post('import', bobFile);
    should(refused).match({ status: 429, body: { errors: [{ code: 42901, message: /--queue-per-user/ }] } });
    should(Number(refused.headers.get('retry-after'))).be.within(1, 60);
    should((await ann.post('import', annFile)).status).equal(200);
  });

  it('refuses all starts with 503 while too many of all users wait', async () => {
    const { ann, bob, annFile, bobFile } = await startWithTwoUsers({ maxQueued: 2 });
    await untilRunning(bob, (await bob.post('import', bobFile)).body.operationId);
    for (let count = 0; count < 2; count++) should((await bob.post('import', bobFile)).status).equal(200);
    const refused = await ann.post('import', annFile);
    should(refused).match({ status: 503, body: { errors: [{ code: 50302, message: /--queue-total/ }] } });
    should(Number(refused.headers.get('retry-after'))).be.within(1, 60);
  });

  it('accepts a priority, and shows it if it is low', async () => {
    const { ann, bob, annFile, bobFile } = await startWithTwoUsers();
    await untilRunning(bob, (await bob.post('import', bobFile)).body.operationId);
    const priorityOf = async (calls: Calls, body: object): Promise<unknown> => {
      const { operationId } = (await calls.post('import', body)).body;
      return (await calls.get(`${operationId}/status`)).body.priority;
    };
    should(await priorityOf(bob, { ...bobFile, priority: 'low' })).equal('low');
    should(await priorityOf(ann, { ...annFile, priority: 'normal' })).be.undefined();
    should(await priorityOf(ann, { ...annFile, priority: null })).be.undefined();
    for (const priority of ['high', '', 1, true, ['low']]) {
      const refused = await ann.post('import', { ...annFile, priority });
      should(refused).match({ status: 400, body: { errors: [{ code: 40001, message: /priority.*normal, low/ }] } });
    }
  });

  it('keeps the places of all users when the service stops', async () => {
    const { ann, bob, annFile, bobFile } = await startWithTwoUsers();
    const first = (await bob.post('import', bobFile)).body.operationId;
    await untilRunning(bob, first);
    for (let count = 0; count < 3; count++) await bob.post('import', bobFile);
    await ann.post('import', annFile);
    await service.close();
    await start();
    await untilRunning(await signIn(folder, 'bob'), first);
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    should(metrics).match(/model_processing_operations\{state="queued"\} 4\n/);
    should(metrics).match(/model_processing_operations\{state="running"\} 1\n/);
  });

  it('reuses the result of an operation with another priority', async () => {
    await start({ runJob: performHere });
    const calls = await logIn(folder);
    const { fileId } = (await calls.upload(CUBE, 'a.stl')).body;
    await calls.run('import', { fileId });
    await calls.run('import', { fileId, priority: 'low' });
    should(await (await fetch(`${service.baseUrl}/metrics`)).text()).match(/model_processing_cache_hits_total 1\n/);
  });

  it('names the options with limits that are no numbers', async () => {
    for (const option of ['queue-per-user', 'queue-total']) {
      const { status, errors } = await runHere(['serve', '--data', folder, `--${option}`, '0']);
      should(status).equal(2);
      should(errors).match(new RegExp(`Invalid --${option} "0": expected an integer`));
    }
  });
});
