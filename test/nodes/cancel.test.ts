import { randomUUID } from 'node:crypto';
import 'should';
import { neverReply, replyWith, replyWithError } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const ANY_DELETE = /^\/web-api/;

describe('msg.cancel and cancelAtTimeout', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));
  beforeEach(() => {
    service.features = ['cancel', 'delete', 'list', 'idempotency-key', 'priority'];
  });

  const addEndless = () => service.addOperation('repair', { pollsLeft: 1e9 });
  const untilWaiting = (...ids: string[]) =>
    bench.until(() => ids.every((id) => service.count('GET', new RegExp(`${id}/status`)) > 0));
  const countCompleted = (count: number) => bench.until(() => bench.completed.get('node') === count);
  const isCancelled = (operationId: string) => service.operations.get(operationId)?.error?.code === 42217;

  describe('at a wait node', () => {
    const start = (settings = {}, serviceSettings = {}) =>
      open(withService({ type: 'model-processing-wait', ...settings }, serviceSettings));
    const sendWait = (operationId: string, other = {}) =>
      bench.send({ payload: { operationId, operation: 'repair', filename: 'part.stl' }, ...other });

    it('cancel the operation that the payload names; the waiting message fails, saying so', async () => {
      await start();
      const [cancelled, other] = [addEndless(), addEndless()];
      sendWait(cancelled);
      sendWait(other);
      await untilWaiting(cancelled, other);
      bench.send({ payload: { operationId: cancelled }, cancel: true });
      const { error, payload } = await bench.next('errors');
      error.should.containEql({
        code: 'OPERATION_FAILED',
        message: `part.stl: repair was cancelled. (${cancelled})`,
      });
      payload.operationId.should.equal(cancelled);
      await countCompleted(2);
      isCancelled(other).should.be.false();
      bench.countUnread('out').should.equal(0);
    });

    for (const [title, create] of [
      ['msg.cancel', (id: string) => ({ cancel: id })],
      ['a payload that is the id', (id: string) => ({ cancel: true, payload: id })],
      ['the property in its settings', (id: string) => ({ cancel: true, job: id })],
    ] as const)
      it(`cancel the operation that ${title} names, although no message waits for it`, async () => {
        await start(title.includes('settings') ? { operationId: 'job' } : {});
        const operationId = addEndless();
        bench.send(create(operationId));
        await countCompleted(1);
        isCancelled(operationId).should.be.true();
        bench.countUnread('errors').should.equal(0);
        bench.countUnread('out').should.equal(0);
      });

    it('cancel all operations of the node if the message names none', async () => {
      await start();
      const ids = [addEndless(), addEndless(), addEndless()];
      for (const id of ids) sendWait(id);
      await untilWaiting(...ids);
      bench.send({ payload: Date.now(), cancel: true });
      await countCompleted(4);
      await bench.until(() => bench.countUnread('errors') === 3);
      ids.every(isCancelled).should.be.true();
      service.count('DELETE', ANY_DELETE).should.equal(3);
    });

    it('cancel all operations of the node if the payload is a text that is no id', async () => {
      await start();
      const operationId = addEndless();
      sendWait(operationId);
      await untilWaiting(operationId);
      bench.send({ payload: 'cancel', cancel: true });
      await countCompleted(2);
      isCancelled(operationId).should.be.true();
      (await bench.next('errors')).error.code.should.equal('OPERATION_FAILED');
    });

    for (const [title, settings, msg, code] of [
      ['the property in its settings is missing', { operationId: 'job.id' }, {}, 'INPUT_MISSING'],
      ['the property in its settings is a number', { operationId: 'job.id' }, { job: { id: 7 } }, 'INPUT_INVALID'],
      ['the id in the payload is a number', {}, { payload: { operationId: 7 } }, 'INPUT_INVALID'],
      ['the id in the payload is an object', {}, { payload: { operationId: {} } }, 'INPUT_INVALID'],
    ] as const)
      it(`cancel nothing if ${title}: ${code}`, async () => {
        await start(settings);
        const operationId = addEndless();
        sendWait(operationId, { job: { id: operationId } });
        await untilWaiting(operationId);
        bench.send({ ...msg, cancel: true });
        (await bench.next('errors')).error.code.should.equal(code);
        service.count('DELETE', ANY_DELETE).should.equal(0);
      });

    it('send the failure to the second output, if the node has one', async () => {
      await start({ outputs: '2', wires: [['errors'], ['out']] });
      const operationId = addEndless();
      sendWait(operationId);
      await untilWaiting(operationId);
      bench.send({ cancel: operationId });
      const { payload, error } = await bench.next();
      payload.should.containEql({ operationId, isCompleted: true, isSuccessful: false });
      error.message.should.containEql('was cancelled');
    });

    it('do not affect an operation that has completed: its result is sent', async () => {
      await start();
      const operationId = service.addOperation('repair', { pollsLeft: 0 });
      bench.send({ cancel: operationId });
      await countCompleted(1);
      sendWait(operationId);
      (await bench.next()).payload.isSuccessful.should.be.true();
    });

    it('raise INPUT_INVALID for other values, NOT_FOUND for an unknown id; false and empty start a wait', async () => {
      await start();
      for (const cancel of [1, {}, ' ', 'no id']) {
        bench.send({ cancel });
        (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
      }
      bench.send({ cancel: randomUUID() });
      (await bench.next('errors')).error.code.should.equal('NOT_FOUND');
      for (const cancel of [false, '', null, undefined]) {
        sendWait(service.addOperation('repair'), { cancel });
        (await bench.next()).payload.isSuccessful.should.be.true();
      }
    });

    it('raise REFUSED at a service that cannot cancel, and the messages wait on', async () => {
      service.features = undefined;
      await start();
      const operationId = addEndless();
      sendWait(operationId);
      await untilWaiting(operationId);
      bench.send({ cancel: true });
      const { error } = await bench.next('errors');
      error.code.should.equal('REFUSED');
      error.message.should.match(/^Could not cancel operation: the service does not support it\./);
      Object.assign(service.operations.get(operationId) ?? {}, { pollsLeft: 1 });
      (await bench.next()).payload.operationId.should.equal(operationId);
      service.count('DELETE', ANY_DELETE).should.equal(0);
    });

    it('cancel the operation at the wait timeout if the option is set', async () => {
      await start({ cancelAtTimeout: true }, { timeout: 1 });
      const operationId = addEndless();
      sendWait(operationId);
      const { error } = await bench.next('errors');
      error.code.should.equal('WAIT_TIMEOUT');
      error.message.should.match(/The operation was cancelled\. \(/);
      isCancelled(operationId).should.be.true();
    });

    it('do not cancel at the wait timeout by default', async () => {
      await start({}, { timeout: 1 });
      const operationId = addEndless();
      sendWait(operationId);
      (await bench.next('errors')).error.code.should.equal('WAIT_TIMEOUT');
      service.count('DELETE', ANY_DELETE).should.equal(0);
    });

    it('say at the wait timeout that the operation failed before it was cancelled', async () => {
      const error = { code: 42200, message: 'The file is empty.' };
      await start({ cancelAtTimeout: true }, { timeout: 1 });
      const operationId = addEndless();
      service.fault(
        'DELETE',
        ANY_DELETE,
        replyWith(200, { operationId, isCompleted: true, isSuccessful: false, error }),
      );
      sendWait(operationId);
      const { message } = (await bench.next('errors')).error;
      message.should.containEql('The operation failed.').and.not.containEql('was cancelled');
    });

    it('report the wait timeout although the service does not reply to the cancellation', async () => {
      service.fault('DELETE', ANY_DELETE, neverReply, 9);
      await start({ cancelAtTimeout: true }, { timeout: 1 });
      sendWait(addEndless());
      const { code, message } = (await bench.next('errors')).error;
      code.should.equal('WAIT_TIMEOUT');
      message.should.containEql('Could not cancel the operation within 10 s.');
    });

    it('say at the wait timeout why the operation was not cancelled', async () => {
      service.features = [];
      await start({ cancelAtTimeout: true }, { timeout: 1 });
      sendWait(addEndless());
      const { error } = await bench.next('errors');
      error.code.should.equal('WAIT_TIMEOUT');
      error.message.should.containEql('Could not cancel operation: the service does not support it.');
    });

    it('cancel nothing when the node closes or a message has msg.reset', async () => {
      await start({ cancelAtTimeout: true });
      const ids = [addEndless(), addEndless()];
      for (const id of ids) sendWait(id);
      await untilWaiting(...ids);
      bench.send({ reset: true });
      await countCompleted(3);
      sendWait(ids[0] ?? '');
      await bench.deploy(withService({ type: 'model-processing-wait', cancelAtTimeout: true }));
      service.count('DELETE', ANY_DELETE).should.equal(0);
    });
  });

  it('are without effect at other nodes', async () => {
    await open(withService({ type: 'model-processing-import' }));
    service.fault('DELETE', ANY_DELETE, replyWithError(500, 'No.'), 9);
    bench.send({ payload: { fileId: randomUUID() }, cancel: true });
    (await bench.next()).payload.operation.should.equal('import');
    service.count('DELETE', ANY_DELETE).should.equal(0);
  });
});
