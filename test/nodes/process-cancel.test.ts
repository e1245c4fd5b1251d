import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import { neverReply, replyWith, replyWithError } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const CUBE = { payload: Buffer.from('solid cube\nendsolid cube\n'), filename: 'cube.stl' };

describe('msg.cancel and cancelAtTimeout at a process node', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));
  beforeEach(() => {
    service.features = ['cancel', 'delete', 'list', 'idempotency-key', 'priority'];
  });

  const untilWaiting = (...ids: string[]) =>
    bench.until(() => ids.every((id) => service.count('GET', new RegExp(`${id}/status`)) > 0));
  const countCompleted = (count: number) => bench.until(() => bench.completed.get('node') === count);
  const isCancelled = (operationId: string) => service.operations.get(operationId)?.error?.code === 42217;
  const findStarts = () =>
    service.requests
      .filter(({ method, path }) => method === 'POST' && /operation\/(?!file$)/.test(path))
      .map(({ path }) => path.replace('/web-api/operation/', ''));
  const start = (settings = {}, serviceSettings = {}) =>
    open(withService({ type: 'model-processing-process', ...settings }, serviceSettings));
  /** Holds the next start of this operation. Returns a function that releases it. */
  const holdStart = (operation: string): (() => void) => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.fault('POST', new RegExp(`operation/${operation}$`), async () => {
      await released;
      return false as const;
    });
    return () => release();
  };
  const refuseStarts = () => {
    const errors = [{ code: 50302, message: 'The queue is full.' }];
    service.fault('POST', /operation\/import$/, replyWith(503, { errors }, { 'Retry-After': '60' }), 99);
  };
  const untilStarted = (operation: string, count = 1) =>
    bench.until(() => [...service.operations.values()].filter((each) => each.operation === operation).length === count);

  it('cancel the operations of all messages in progress; they fail, naming the step', async () => {
    service.pollsNeeded = 1e9;
    await start();
    bench.send({ ...CUBE });
    bench.send({ ...CUBE });
    await untilStarted('import', 2);
    await untilWaiting(...service.operations.keys());
    bench.send({ cancel: true });
    await countCompleted(3);
    for (let count = 0; count < 2; count += 1) {
      const { error } = await bench.next('errors');
      error.code.should.equal('OPERATION_FAILED');
      error.message.should.match(/cube\.stl: Import: The import was cancelled\./);
    }
    [...service.operations.keys()].every(isCancelled).should.be.true();
    findStarts().should.deepEqual(['import', 'import']);
    bench.countUnread('out').should.equal(0);
  });

  it('end an upload, and start nothing', async () => {
    let isUploading = false;
    service.fault('POST', /operation\/file$/, () => {
      isUploading = true;
    });
    await start();
    bench.send({ ...CUBE });
    await bench.until(() => isUploading);
    bench.send({ cancel: true });
    const { error } = await bench.next('errors');
    error.should.containEql({ code: 'OPERATION_FAILED' });
    error.message.should.containEql('cancelled');
    findStarts().should.be.empty();
  });

  it('end all messages with OPERATION_FAILED, also those that wait for the turn of their upload', async () => {
    service.fault('POST', /operation\/file$/, neverReply, 9);
    await start();
    for (let count = 0; count < 6; count += 1) bench.send({ ...CUBE });
    await bench.until(() => service.count('POST', /operation\/file$/) === 4);
    bench.send({ cancel: true });
    await countCompleted(7);
    for (let count = 0; count < 6; count += 1) {
      const { error } = await bench.next('errors');
      error.code.should.equal('OPERATION_FAILED');
      error.message.should.containEql('processing was cancelled by msg.cancel.');
    }
    service.count('POST', /operation\/file$/).should.equal(4);
  });

  it('end a message that waits until its file is complete', async () => {
    await start({ waitComplete: true, completeSeconds: 3600 });
    const file = path.join(bench.userDir, 'part.stl');
    await writeFile(file, 'solid');
    bench.send({ payload: file });
    await bench.until(() => bench.status()?.text === 'process.status.completing');
    bench.send({ cancel: true });
    (await bench.next('errors')).error.should.containEql({ code: 'OPERATION_FAILED' });
    service.count('POST', /operation/).should.equal(0);
  });

  it('cancel an operation that is being started when the message arrives', async () => {
    service.pollsNeeded = 1e9;
    const release = holdStart('import');
    await start();
    bench.send({ ...CUBE });
    await bench.until(() => findStarts().length === 1);
    bench.send({ cancel: true });
    await countCompleted(1);
    release();
    (await bench.next('errors')).error.message.should.containEql('was cancelled');
    [...service.operations.keys()].every(isCancelled).should.be.true();
  });

  for (const [title, features, fault] of [
    ['a service that cannot cancel', [], undefined],
    ['a service that fails', ['cancel'], replyWithError(403, 'No.')],
  ] as const)
    it(`at ${title}, end a message after the operation that is being started`, async () => {
      service.features = [...features];
      if (fault) service.fault('DELETE', /./, fault, 9);
      const release = holdStart('import');
      await start();
      bench.send({ ...CUBE });
      await bench.until(() => findStarts().length === 1);
      bench.send({ cancel: true });
      await countCompleted(1);
      release();
      const { error, model } = await bench.next('errors');
      error.should.containEql({ code: 'OPERATION_FAILED' });
      error.message.should.containEql('cancelled by msg.cancel');
      model.operations[0].isSuccessful.should.be.true();
      findStarts().should.deepEqual(['import']);
    });

  it('start no operation of a message that waits for its turn', async () => {
    const release = holdStart('import');
    await start({}, { concurrency: 1 });
    for (let count = 0; count < 3; count += 1) bench.send({ ...CUBE });
    await bench.until(() => service.files.size === 3 && findStarts().length === 1);
    bench.send({ cancel: true });
    for (let count = 0; count < 2; count += 1)
      (await bench.next('errors')).error.should.containEql({ code: 'OPERATION_FAILED' });
    release();
    (await bench.next('errors')).error.should.containEql({ code: 'OPERATION_FAILED' });
    findStarts().should.deepEqual(['import']);
  });

  it('start no operation of a message that waits since the queue of the service is full', async () => {
    refuseStarts();
    await start();
    bench.send({ ...CUBE });
    await bench.until(() => bench.status()?.text === 'process.status.queued');
    bench.send({ cancel: true });
    (await bench.next('errors')).error.should.containEql({ code: 'OPERATION_FAILED' });
    findStarts().should.deepEqual(['import']);
  });

  it('do not affect a message whose previous operation msg.cancel names', async () => {
    const release = holdStart('export');
    await start({ steps: [] });
    bench.send({ ...CUBE });
    await bench.until(() => findStarts().length === 2);
    const [importId] = service.operations.keys();
    bench.send({ cancel: importId });
    await countCompleted(1);
    release();
    (await bench.next()).filename.should.equal('cube.stl');
  });

  it('cancel the operation at the wait timeout if the option is set', async () => {
    service.pollsNeeded = 1e9;
    await start({ cancelAtTimeout: true }, { timeout: 1 });
    bench.send({ ...CUBE });
    const { error } = await bench.next('errors');
    error.code.should.equal('WAIT_TIMEOUT');
    error.message.should.containEql('The operation was cancelled.');
    [...service.operations.keys()].every(isCancelled).should.be.true();
  });

  it('do not affect later messages', async () => {
    await start();
    bench.send({ cancel: true });
    await countCompleted(1);
    bench.send({ ...CUBE });
    (await bench.next()).filename.should.equal('cube.stl');
  });
});
