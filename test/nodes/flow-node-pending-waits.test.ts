import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import should from 'should';
import { replyWith } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import { createRemoteService, type FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

describe('a flow node', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

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
      bench.stopNodes('node', 'out');
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

  it('sends a message once if a redeploy replaces the node, but not the next one', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    await open(flow);
    bench.onSend = (id) => {
      if (id !== 'node') return;
      bench.onSend = () => undefined;
      bench.stopNodes('node');
    };
    const operationId = service.addOperation('repair');
    bench.send({ payload: { operationId, operation: 'repair' } });
    should((await bench.next()).model?.isRepeat).be.undefined();
    await bench.deploy(flow);
    const journal = path.join(bench.userDir, 'model-processing-waits.jsonl');
    await bench.until(() => readFileSync(journal, 'utf8') === '');
    bench.countUnread('out').should.equal(0);
  });

  it('sends a message that completes during a deploy after it, once, to the next node that replaces a stopped one', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    await open(flow);
    const operationId = service.addOperation('export', { pollsLeft: 1e9 });
    bench.send({ payload: { operationId, operation: 'export' } });
    await bench.until(() => service.count('GET', /status$/) > 1);
    const endClose = bench.delayClose('out');
    const changed = flow.map((item) => (item.id === 'out' ? { ...item, name: 'changed' } : item));
    const deployed = bench.deploy(changed, 'nodes');
    const operation = service.operations.get(operationId);
    if (operation) operation.pollsLeft = 1;
    await bench.until(() => service.count('GET', /result$/) > 0);
    // The node gets the result before these replies.
    for (let count = 0; count < 5; count += 1) await fetch(service.account.baseUrl);
    endClose();
    await deployed;
    const msg = await bench.next();
    msg.payload.should.containEql({ operationId, isCompleted: true });
    should(msg.model.isRepeat).be.undefined();
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
});
