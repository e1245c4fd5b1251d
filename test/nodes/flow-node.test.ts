import { randomUUID } from 'node:crypto';
import 'should';
import should from 'should';
import type { FakeService } from '../helpers/fake-service.js';
import { createFlow, createRemoteService, type FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

describe('a flow node', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  it('sends no request before the first message', async () => {
    await open(withService({ type: 'model-processing-repair' }));
    service.requests.should.be.empty();
    should(bench.status()).be.undefined();
  });

  it('calls done exactly once per input, on success and on failure', async () => {
    await open(withService({ type: 'model-processing-repair' }));
    for (let i = 0; i < 5; i += 1) bench.send({ payload: { resultId: randomUUID() } });
    for (let i = 0; i < 5; i += 1) bench.send({ payload: {} });
    await bench.until(() => bench.countUnread('out') === 5 && bench.countUnread('errors') === 5);
    should(bench.completed.get('node')).equal(10);
  });

  it('shows "not configured" and raises NOT_CONFIGURED without a service node', async () => {
    await open(createFlow({ type: 'model-processing-repair' }));
    should(bench.status()).deepEqual({ fill: 'red', shape: 'ring', text: 'repair.status.notConfigured' });
    bench.send({ payload: { resultId: randomUUID() } });
    (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
  });

  it('shows "not configured" and lists the missing credentials of a remote service', async () => {
    await open(withService({ type: 'model-processing-repair' }), {
      credentials: { service: { ...service.account, password: '', clientSecret: '' } },
    });
    should(bench.status()?.text).equal('repair.status.notConfigured');
    bench.send({ payload: { resultId: randomUUID() } });
    const { error } = await bench.next('errors');
    error.code.should.equal('NOT_CONFIGURED');
    error.message.should.match(
      /Fields missing in the service node: service.label.clientSecret, service.label.password/,
    );
  });

  it('adds the filename of the message to errors', async () => {
    await open(withService({ type: 'model-processing-repair' }));
    bench.send({ payload: { filename: 'part.stl' } });
    const text = 'part.stl: No resultId in msg.payload or msg.model.';
    (await bench.next('errors')).error.message.should.equal(text);
    bench.send({ payload: {}, filename: '/home/maker/gear.obj' });
    (await bench.next('errors')).error.message.should.startWith('gear.obj: ');
  });

  it('raises BAD_CREDENTIALS for a wrong password, without a secret in the message', async () => {
    await open(withService({ type: 'model-processing-repair' }), {
      credentials: { service: { ...service.account, password: 'guessed-word' } },
    });
    bench.send({ payload: { resultId: randomUUID() } });
    const msg = await bench.next('errors');
    msg.error.code.should.equal('BAD_CREDENTIALS');
    JSON.stringify(msg).should.not.match(/guessed-word|secret-of-the-client/);
    should(msg.error.cause).be.undefined();
  });

  it('raises CONNECTION_FAILED if nothing listens at the address', async () => {
    const { random } = Math;
    // Backoff delays are random, from 0. They are 0 here.
    Math.random = () => 0;
    try {
      await open(
        createFlow({ type: 'model-processing-repair' }, createRemoteService({ baseUrl: 'http://127.0.0.1:9' })),
      );
    } finally {
      Math.random = random;
    }
    bench.send({ payload: { resultId: randomUUID() } });
    const msg = await bench.next('errors');
    msg.error.code.should.equal('CONNECTION_FAILED');
    should(msg.statusCode).be.undefined();
  });

  it('shows the red ring until the next success', async () => {
    await open(withService({ type: 'model-processing-wait' }));
    bench.send({ payload: {} });
    await bench.next('errors');
    const slow = service.addOperation('repair', { pollsLeft: 4 });
    bench.send({ payload: { operationId: slow, operation: 'repair' } });
    await bench.next();
    const fills = (bench.statuses.get('node') ?? []).map(({ fill }) => fill);
    fills.should.deepEqual(['red', 'green']);
  });

  it('keeps msg.parts of a sequence', async () => {
    await open(withService({ type: 'model-processing-wait' }));
    const parts = { id: 'sequence', index: 2, count: 3 };
    bench.send({ payload: { operationId: service.addOperation('repair'), operation: 'repair' }, parts });
    (await bench.next()).parts.should.deepEqual(parts);
  });

  it('logs one warning for two messages that are too large for the journal', async () => {
    await open(withService({ type: 'model-processing-wait' }));
    for (let i = 0; i < 2; i += 1) {
      const payload = { operationId: service.addOperation('repair'), operation: 'repair' };
      bench.send({ payload, file: Buffer.alloc(2 << 20) });
      await bench.next();
    }
    bench.findLogLines(/too large to survive a restart/).length.should.equal(1);
  });

  it('requests one token for two nodes and four messages of an account', async () => {
    const second = { ...createRemoteService(service.account), id: 'service2' };
    const flow = [
      ...withService({ type: 'model-processing-repair' }),
      second,
      { id: 'node2', z: 'tab', x: 1, y: 1, type: 'model-processing-repair', service: 'service2', wires: [['out']] },
    ];
    await open(flow, { credentials: { service: service.account, service2: service.account } });
    for (const id of ['node', 'node2', 'node', 'node2']) bench.send({ payload: { resultId: randomUUID() } }, id);
    for (let i = 0; i < 4; i += 1) await bench.next();
    service.count('POST', /token/i).should.equal(1);
  });

  it('sends at most as many concurrent requests as the service node allows', async () => {
    let running = 0;
    let max = 0;
    let onSecond = () => {};
    const second = new Promise<void>((resolve) => {
      onSecond = resolve;
    });
    const replyLater = async (): Promise<false> => {
      running += 1;
      max = Math.max(max, running);
      if (running === 2) onSecond();
      await second; // two run at the same time at least once
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      running -= 1;
      return false;
    };
    service.fault('POST', /repair$/, replyLater, 100);
    const config = { ...createRemoteService(service.account), concurrency: 2 };
    await open(createFlow({ type: 'model-processing-repair' }, config));
    for (let i = 0; i < 20; i += 1) bench.send({ payload: { resultId: randomUUID() } });
    await bench.until(() => bench.countUnread('out') === 20);
    max.should.equal(2);
  });

  it('raises QUEUE_FULL for messages beyond nodeMessageBufferMaxLength', async () => {
    const flow = createFlow(
      { type: 'model-processing-repair' },
      { ...createRemoteService(service.account), concurrency: 1 },
    );
    const settings = { nodeMessageBufferMaxLength: 2 };
    await open(flow, { settings });
    for (let i = 0; i < 5; i += 1) bench.send({ payload: { resultId: randomUUID() } });
    await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') === 5);
    bench.countUnread('errors').should.equal(2);
    (await bench.next('errors')).error.code.should.equal('QUEUE_FULL');
  });
});
