import { readFileSync } from 'node:fs';
import 'should';
import should from 'should';
import { PendingWaits } from '../../../../nodes/shared/waits/pending-waits.js';
import { nodeIn, registerPendingWaitsBench, waitFor } from './support/pending-waits-bench.js';

describe('PendingWaits', () => {
  const { file, warnings, infos, start, notifyStarted } = registerPendingWaitsBench();

  it('returns a released wait once to the next node of its path, with the same message object', () => {
    const waits = start();
    const wait = waitFor('a');
    waits.register('tab/node', wait).release();
    waits.acquire('tab/other').should.be.empty();
    const [lease] = waits.acquire('tab/node');
    should(lease?.wait).equal(wait);
    waits.acquire('tab/node').should.be.empty();
  });

  it('returns a released wait without a journal, too', () => {
    const waits = new PendingWaits({ log: { info: () => undefined, warn: () => undefined } });
    const lease = waits.register('tab/node', waitFor('a'));
    lease.isTooLarge.should.be.false();
    lease.release();
    waits.acquire('tab/node').length.should.equal(1);
  });

  it('returns no wait that its node owns or has ended', () => {
    const waits = start();
    waits.register('tab/node', waitFor('a'));
    const ended = waits.register('tab/node', waitFor('b'));
    ended.end();
    waits.acquire('tab/node').should.be.empty();
  });

  it('returns a wait after a restart, with its message and stage', () => {
    start().register('tab/node', { ...waitFor('a', { topic: 'kept' }), stage: { step: 2 } });
    const [lease] = start().acquire('tab/node');
    should(lease?.wait).deepEqual({ ...waitFor('a', { topic: 'kept' }), stage: { step: 2 }, isRestored: true });
  });

  it('returns the last wait of a message after a restart', () => {
    const lease = start().register('tab/node', waitFor('a'));
    lease.update(waitFor('b'));
    const leases = start().acquire('tab/node');
    leases.map(({ wait }) => wait.operationId).should.deepEqual(['b']);
  });

  it('writes a wait again if it got new times, after a boot of the machine', () => {
    const lease = start().register('tab/node', waitFor('a'));
    lease.wait.boot = { id: 'boot', startedMs: 1, deadlineMs: 2 };
    lease.update(lease.wait);
    const [restored] = start().acquire('tab/node');
    should(restored?.wait.boot).deepEqual({ id: 'boot', startedMs: 1, deadlineMs: 2 });
  });

  it('returns a wait that no node acquired after the restart before', () => {
    start().register('tab/node', waitFor('a'));
    start();
    start().acquire('tab/node').length.should.equal(1);
  });

  it('marks only messages that may have been sent with isRepeat', () => {
    const waits = start();
    waits.register('tab/node', waitFor('a')).markSending();
    waits.register('tab/node', waitFor('b'));
    const leases = start().acquire('tab/node');
    leases.map(({ wait }) => Object(wait.msg.model).isRepeat).should.deepEqual([true, undefined]);
  });

  it('adds a warning that lists the properties missing after a restart', () => {
    start().register('tab/node', waitFor('a', { res: { end: () => undefined }, req: new Map() }));
    const [lease] = start().acquire('tab/node');
    const [warning] = Object(lease?.wait.msg.model).warnings;
    warning.code.should.equal('MESSAGE_INCOMPLETE');
    warning.message.should.match(/are missing: msg\.res, msg\.req\.$/);
  });

  it('reports messages that are too large for a restart, and keeps them over a redeploy', () => {
    const waits = start();
    const lease = waits.register('tab/node', waitFor('a', { file: Buffer.alloc(1 << 20) }));
    lease.isTooLarge.should.be.true();
    lease.update(waitFor('b'));
    lease.isTooLarge.should.be.false();
    lease.update(waitFor('c', { file: Buffer.alloc(1 << 20) }));
    lease.release();
    start().acquire('tab/node').should.be.empty();
    waits.acquire('tab/node').length.should.equal(1);
  });

  it('discards the waits of a removed node, with a warning that names the operation', () => {
    const waits = start();
    waits.register('tab/gone', waitFor('a'));
    waits.register('tab/node', waitFor('b'));
    const next = start();
    next.claim('tab/node', () => undefined);
    notifyStarted(nodeIn('tab', 'node'));
    warnings.should.deepEqual(['Discarded the pending wait for operation a: its node was removed']);
    next.acquire('tab/node').length.should.equal(1);
    start().acquire('tab/gone').should.be.empty();
  });

  it('keeps the waits of a closed node until its successor has started', () => {
    const waits = start();
    const releaseClaim = waits.claim('tab/node', () => undefined);
    waits.register('tab/node', waitFor('a')).release();
    releaseClaim();
    let callCount = 0;
    waits.claim('tab/node', () => (callCount += 1));
    notifyStarted();
    callCount.should.equal(1);
    waits.acquire('tab/node').length.should.equal(1);
    warnings.should.be.empty();
  });

  it('keeps the waits of a node that is in the flows but does not exist now', () => {
    const waits = start();
    waits.register('tab/node', waitFor('a')).release();
    waits.claim('tab/other', () => undefined);
    notifyStarted(nodeIn('tab', 'node', { d: true }));
    notifyStarted(nodeIn('tab', 'node', { d: true }));
    infos.should.deepEqual(['The pending wait for operation a continues when its node is enabled']);
    waits.acquire('tab/node').length.should.equal(1);
    warnings.should.be.empty();
  });

  it('passes the waits of a moved node to the node with its id, also after a restart', () => {
    const waits = start();
    waits.register('tab/node', waitFor('a')).release();
    const acquired: string[] = [];
    const claimAt = (path: string, of = waits) =>
      of.claim(path, () => acquired.push(...of.acquire(path).map(({ wait }) => `${path} ${wait.operationId}`)));
    claimAt('other/node');
    notifyStarted(nodeIn('other', 'node'), { id: 'other', type: 'tab' });
    acquired.should.deepEqual(['other/node a']);
    claimAt('other/node', start());
    notifyStarted(nodeIn('other', 'node'), { id: 'other', type: 'tab' });
    acquired.should.deepEqual(['other/node a', 'other/node a']);
  });

  it('stays open while it has waits that no node owns', () => {
    let retained = 0;
    const retain = () => {
      retained += 1;
      return () => {
        retained -= 1;
      };
    };
    const waits = new PendingWaits({ log: { info: () => undefined, warn: () => undefined }, retain });
    for (const id of ['a', 'b']) waits.register('tab/node', waitFor(id)).release();
    retained.should.equal(1);
    waits.acquire('tab/node');
    retained.should.equal(0);
    waits.register('tab/gone', waitFor('c')).release();
    waits.onDeployed([]);
    retained.should.equal(0);
  });

  it('ends the session of the journal when the last node has closed', () => {
    const waits = start();
    const releaseClaim = waits.claim('tab/node', () => undefined);
    const lease = waits.register('tab/node', waitFor('a'));
    const sent = waits.register('tab/node', waitFor('b'));
    releaseClaim();
    readFileSync(file, 'utf8').should.startWith('{"shut"');
    // Node-RED delivers a message after its node has closed.
    sent.end();
    readFileSync(file, 'utf8').should.startWith('{"shut"');
    waits.claim('tab/node', () => undefined);
    lease.markSending();
    readFileSync(file, 'utf8').should.startWith('{"boot"');
  });

  it('writes only the id of the service node, no other data of the service', () => {
    start().register('tab/node', waitFor('a'));
    const line = readFileSync(file, 'utf8').split('\n')[1] ?? '';
    Object.keys(JSON.parse(line)).should.deepEqual([
      'wait',
      'node',
      'operation',
      'operationId',
      'filename',
      'startedAt',
      'deadline',
      'service',
      'message',
      'missing',
      'crc',
    ]);
  });
});
