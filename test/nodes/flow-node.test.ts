import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import should from 'should';
import { replyWith } from '../helpers/fake-replies.js';
import { FakeService } from '../helpers/fake-service.js';
import { createFlow, createRemoteService, FlowBench, type FlowItem } from './support/flow-bench.js';

describe('a flow node', () => {
  let service: FakeService;
  let bench: FlowBench;

  const open = async (flow: FlowItem[], account = service.account) => {
    bench = await FlowBench.start(flow, { credentials: { service: account } });
  };
  const withService = (node: { type: string; [setting: string]: unknown }) =>
    createFlow(node, createRemoteService(service.account));

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

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
      ...service.account,
      password: '',
      clientSecret: '',
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
    (await bench.next('errors')).error.message.should.equal(`INPUT_MISSING: ${text}`);
    bench.send({ payload: {}, filename: '/home/maker/gear.obj' });
    (await bench.next('errors')).error.message.should.startWith('INPUT_MISSING: gear.obj: ');
  });

  it('raises BAD_CREDENTIALS for a wrong password, without a secret in the message', async () => {
    await open(withService({ type: 'model-processing-repair' }), { ...service.account, password: 'guessed-word' });
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

  it('neither sends nor completes messages in progress when it closes', async () => {
    await open(withService({ type: 'model-processing-wait' }));
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    bench.send({ payload: { operationId, operation: 'repair' } });
    await bench.until(() => service.count('GET', /status$/) > 1);
    const without = withService({ type: 'model-processing-wait' }).filter(({ id }) => id !== 'node');
    await bench.deploy(without);
    bench.countUnread('out').should.equal(0);
    bench.countUnread('errors').should.equal(0);
    should(bench.completed.get('node')).be.undefined();
  });

  it('passes a pending wait to the node that replaces it in a redeploy', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    await open(flow);
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    const res = { isResponse: true };
    bench.send({ payload: { operationId, operation: 'repair', filename: 'part.stl' }, res });
    await bench.until(() => service.count('GET', /status$/) > 1);
    await bench.deploy(flow);
    const operation = service.operations.get(operationId);
    if (operation) operation.pollsLeft = 1;
    const msg = await bench.next();
    msg.payload.should.containEql({ operationId, isCompleted: true, filename: 'part.stl' });
    should(msg.res).equal(res);
    should(bench.completed.get('node')).equal(1);
    await bench.until(() => bench.status()?.fill === 'green');
  });

  it('keeps a wait while the credentials are rejected, shows it, and continues when they are accepted', async () => {
    await open(withService({ type: 'model-processing-wait' }));
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    bench.send({ payload: { operationId, operation: 'repair' } });
    await bench.until(() => service.count('GET', /status$/) > 1);
    service.fault('POST', /^\/token$/i, replyWith(400, { error: 'invalid_grant' }), 1e9);
    service.revokeTokens();
    await bench.until(() => bench.status()?.text === 'wait.status.credentialsRefused');
    should(bench.completed.get('node')).be.undefined();
    service.clearFaults();
    const operation = service.operations.get(operationId);
    if (operation) operation.pollsLeft = 1;
    (await bench.next()).payload.should.containEql({ operationId, isCompleted: true });
    bench.countUnread('errors').should.equal(0);
  });

  it('sends a message again, marked as repeat, if a redeploy closed the next node before it received it', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    await open(flow);
    bench.onSend = (id) => {
      if (id !== 'node') return;
      bench.onSend = () => undefined;
      bench.closeNodes('node', 'out');
    };
    const operationId = service.addOperation('repair');
    bench.send({ payload: { operationId, operation: 'repair' } });
    await bench.until(() => bench.completed.get('node') === 1);
    bench.countUnread('out').should.equal(0);
    await bench.deploy(flow);
    const msg = await bench.next();
    msg.payload.should.containEql({ operationId, isCompleted: true });
    should(msg.model.isRepeat).be.true();
    const journal = path.join(bench.userDir, 'model-processing-waits.jsonl');
    await bench.until(() => readFileSync(journal, 'utf8') === '');
  });

  it('raises one error for a wait whose service node was deleted, and none on the next redeploy', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    await open(flow);
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    bench.send({ payload: { operationId, operation: 'repair' } });
    await bench.until(() => service.count('GET', /status$/) > 1);
    const without = flow.filter(({ id }) => id !== 'service');
    await bench.deploy(without);
    (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
    await bench.deploy(without);
    bench.send({ payload: { operationId, operation: 'repair', isCompleted: true } });
    (await bench.next('errors')).payload.should.containEql({ isCompleted: true });
    should(bench.completed.get('node')).equal(2);
  });

  it('does not repeat a start if a redeploy interrupts a node that sends "when finished"', async () => {
    const flow = withService({ type: 'model-processing-export', send: 'finished' });
    service.pollsNeeded = 1e9;
    await open(flow);
    bench.send({ payload: { resultId: randomUUID() } });
    await bench.until(() => service.count('GET', /status$/) > 1);
    await bench.deploy(flow);
    for (const operation of service.operations.values()) operation.pollsLeft = 1;
    (await bench.next()).payload.isCompleted.should.be.true();
    service.count('POST', /export$/).should.equal(1);
  });

  it('discards the messages in progress on msg.reset, shows their number, and accepts new ones', async () => {
    await open(withService({ type: 'model-processing-wait' }));
    const slow = service.addOperation('repair', { pollsLeft: 1e9 });
    for (let i = 0; i < 3; i += 1) bench.send({ payload: { operationId: slow, operation: 'repair' } });
    await bench.until(() => service.count('GET', /status$/) > 3);
    bench.send({ reset: true });
    await bench.until(() => bench.completed.get('node') === 4);
    should(bench.status()).deepEqual({ fill: 'green', shape: 'dot', text: 'wait.status.dropped' });
    const quick = service.addOperation('repair');
    bench.send({ payload: { operationId: quick, operation: 'repair' } });
    (await bench.next()).payload.operationId.should.equal(quick);
    bench.countUnread('errors').should.equal(0);
    bench.countUnread('out').should.equal(0);
  });

  it('does not pass discarded waits to the node that replaces it', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    await open(flow);
    const operationId = service.addOperation('import', { pollsLeft: 1e9 });
    bench.send({ payload: { operationId, operation: 'import' } });
    await bench.until(() => service.count('GET', /status$/) > 1);
    bench.send({ reset: true });
    await bench.deploy(flow);
    const pollCount = service.count('GET', /status$/);
    bench.send({ payload: { operationId: service.addOperation('import'), operation: 'import' } });
    await bench.next();
    service.count('GET', /status$/).should.equal(pollCount + 1);
    (await readFile(path.join(bench.userDir, 'model-processing-waits.jsonl'), 'utf8')).should.equal('');
  });

  it('polls the service that runs the operation after a redeploy with another service', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    const other = { ...createRemoteService({ baseUrl: 'http://127.0.0.1:9' }), id: 'other' };
    await open([...flow, other]);
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    bench.send({ payload: { operationId, operation: 'repair' } });
    await bench.until(() => service.count('GET', /status$/) > 1);
    await bench.deploy([...flow.map((item) => (item.id === 'node' ? { ...item, service: 'other' } : item)), other]);
    const operation = service.operations.get(operationId);
    if (operation) operation.pollsLeft = 1;
    (await bench.next()).payload.isCompleted.should.be.true();
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
    bench = await FlowBench.start(flow, { credentials: { service: service.account, service2: service.account } });
    for (const id of ['node', 'node2', 'node', 'node2']) bench.send({ payload: { resultId: randomUUID() } }, id);
    for (let i = 0; i < 4; i += 1) await bench.next();
    service.count('POST', /token/i).should.equal(1);
  });

  it('sends at most as many concurrent requests as the service node allows', async () => {
    let running = 0;
    let max = 0;
    const replyLater = async (): Promise<false> => {
      running += 1;
      max = Math.max(max, running);
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
    bench = await FlowBench.start(flow, { credentials: { service: service.account }, settings });
    for (let i = 0; i < 5; i += 1) bench.send({ payload: { resultId: randomUUID() } });
    await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') === 5);
    bench.countUnread('errors').should.equal(2);
    (await bench.next('errors')).error.code.should.equal('QUEUE_FULL');
  });
});
