import 'should';
import should from 'should';
import { CallbackHealth, CallbackReceiver } from '../../../../nodes/shared/callbacks/callback-receiver.js';

describe('CallbackReceiver', () => {
  let receiver: CallbackReceiver;
  let trust: CallbackHealth;
  let lost: number;

  beforeEach(() => {
    receiver = new CallbackReceiver();
    lost = 0;
    trust = new CallbackHealth(() => {
      lost += 1;
    });
  });

  /** An operation that was started with a callback; answers its token. */
  const started = (operationId: string): string => {
    const expected = receiver.expect(trust);
    expected.bind(operationId);
    return expected.token;
  };
  const heard = (operationId: string) => {
    const calls = { count: 0, stop: (): unknown => undefined };
    const listener = () => {
      calls.count += 1;
    };
    calls.stop = receiver.sourceFor(operationId)?.listen(listener) ?? calls.stop;
    return calls;
  };

  it('gives each start an address of 128 bits of its own', () => {
    const tokens = Array.from({ length: 100 }, () => receiver.expect(trust).token);
    new Set(tokens).size.should.equal(100);
    for (const token of tokens) token.should.match(/^[0-9a-f]{32}$/);
  });

  it('tells those who wait for the operation, and nobody else', () => {
    const token = started('a');
    started('b');
    const [a, b] = [heard('a'), heard('b')];
    receiver.arrive(token);
    receiver.arrive('0'.repeat(32));
    [a.count, b.count].should.deepEqual([1, 0]);
    a.stop();
    receiver.arrive(token);
    a.count.should.equal(1);
  });

  it('remembers a callback that came before the start was answered, or before anybody waited', () => {
    const expected = receiver.expect(trust);
    receiver.arrive(expected.token);
    expected.bind('a');
    heard('a').count.should.equal(1);
  });

  it('expects none for operations that were started without, or whose start failed, or that are over', () => {
    should(receiver.sourceFor('unknown')).be.undefined();
    const failed = receiver.expect(trust);
    failed.cancel();
    failed.bind('failed');
    should(receiver.sourceFor('failed')).be.undefined();
    started('over');
    receiver.end('over', true);
    should(receiver.sourceFor('over')).be.undefined();
  });

  it('counts on callbacks no more after three in a row that did not come, until one comes, however late', () => {
    const tokens = ['a', 'b', 'c'].map(started);
    started('d');
    const source = receiver.sourceFor('d');
    receiver.end('a', true);
    receiver.end('b', true);
    should(source?.isExpected()).be.true();
    receiver.end('c', true);
    should(source?.isExpected()).be.false();
    lost.should.equal(1);
    receiver.arrive(tokens[1] ?? '');
    should(source?.isExpected()).be.true();
  });

  it('blames nothing on callbacks where a wait ended before its operation', () => {
    for (const id of ['a', 'b', 'c']) {
      started(id);
      receiver.end(id, false);
    }
    trust.isHealthy.should.be.true();
  });

  it('keeps its memory, whatever is started and never waited for', () => {
    const first = started('first');
    const source = receiver.sourceFor('first');
    for (let i = 0; i < 20_000; i += 1) started(`${i}`);
    should(receiver.sourceFor('first')).be.undefined();
    should(source?.isExpected()).be.false();
    receiver.arrive(first);
    should(receiver.sourceFor('19999')).not.be.undefined();
  });
});
