import 'should';
import should from 'should';
import { CallbackHealth, CallbackReceiver } from '../../../../nodes/shared/callbacks/callback-receiver.js';

describe('CallbackReceiver', () => {
  let receiver: CallbackReceiver;
  let health: CallbackHealth;
  let lostCount: number;

  beforeEach(() => {
    receiver = new CallbackReceiver();
    lostCount = 0;
    health = new CallbackHealth(() => {
      lostCount += 1;
    });
  });

  /** Registers a started operation with a callback; returns its token. */
  const startOperation = (operationId: string): string => {
    const expected = receiver.expect(health, 'config');
    expected.bind(operationId);
    return expected.token;
  };
  const listenTo = (operationId: string) => {
    const calls = { count: 0, stop: (): unknown => undefined };
    const listener = () => {
      calls.count += 1;
    };
    calls.stop = receiver.sourceFor(operationId)?.listen(listener) ?? calls.stop;
    return calls;
  };

  it('creates a token of 128 bits for each start', () => {
    const tokens = Array.from({ length: 100 }, () => receiver.expect(health, 'config').token);
    new Set(tokens).size.should.equal(100);
    for (const token of tokens) token.should.match(/^[0-9a-f]{32}$/);
  });

  it('notifies the listeners of the operation only, until they unsubscribe', () => {
    const token = startOperation('a');
    startOperation('b');
    const [a, b] = [listenTo('a'), listenTo('b')];
    receiver.receive(token);
    receiver.receive('0'.repeat(32));
    [a.count, b.count].should.deepEqual([1, 0]);
    a.stop();
    receiver.receive(token);
    a.count.should.equal(1);
  });

  it('notifies a listener of a callback that arrived before the operation was known', () => {
    const expected = receiver.expect(health, 'config');
    receiver.receive(expected.token);
    expected.bind('a');
    listenTo('a').count.should.equal(1);
  });

  it('returns no source for unknown, failed and finished operations', () => {
    should(receiver.sourceFor('unknown')).be.undefined();
    const failed = receiver.expect(health, 'config');
    failed.cancel();
    failed.bind('failed');
    should(receiver.sourceFor('failed')).be.undefined();
    startOperation('over');
    receiver.complete('over');
    should(receiver.sourceFor('over')).be.undefined();
  });

  it('expects no callbacks after three misses in a row, until one arrives', () => {
    const tokens = ['a', 'b', 'c'].map(startOperation);
    startOperation('d');
    const source = receiver.sourceFor('d');
    receiver.complete('a');
    receiver.complete('b');
    should(source?.isExpected()).be.true();
    receiver.complete('c');
    should(source?.isExpected()).be.false();
    lostCount.should.equal(1);
    receiver.receive(tokens[1] ?? '');
    should(source?.isExpected()).be.true();
  });

  it('counts no miss if a wait ends before its operation', () => {
    for (const id of ['a', 'b', 'c']) {
      startOperation(id);
      receiver.withdraw({ operationId: id });
    }
    health.isHealthy.should.be.true();
  });

  it('expects at most 20,000 callbacks, and removes the oldest', () => {
    const first = startOperation('first');
    const source = receiver.sourceFor('first');
    for (let i = 0; i < 20_000; i += 1) startOperation(`${i}`);
    should(receiver.sourceFor('first')).be.undefined();
    should(source?.isExpected()).be.false();
    receiver.receive(first);
    should(receiver.sourceFor('19999')).not.be.undefined();
  });

  it('relies on callbacks after the first one if the address was not set by a user', () => {
    health = new CallbackHealth(() => {
      lostCount += 1;
    }, false);
    const token = startOperation('a');
    health.isHealthy.should.be.false();
    receiver.complete('a');
    lostCount.should.equal(0);
    receiver.receive(token);
    health.isHealthy.should.be.true();
  });

  it('withdraws the URL of an operation, and those of an owner', () => {
    const [a, b] = [startOperation('a'), startOperation('b')];
    const other = receiver.expect(health, 'other').token;
    receiver.withdraw({ operationId: 'a' });
    [a, b, other].map((token) => receiver.receive(token)).should.deepEqual([false, true, true]);
    receiver.withdraw({ owner: 'config' });
    [a, b, other].map((token) => receiver.receive(token)).should.deepEqual([false, false, true]);
    should(receiver.sourceFor('b')).be.undefined();
  });

  it('accepts the late callback of a completed operation', () => {
    const token = startOperation('a');
    receiver.complete('a');
    receiver.receive(token).should.be.true();
  });
});
