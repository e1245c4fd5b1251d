import { PassThrough } from 'node:stream';
import vm from 'node:vm';
import 'should';
import {
  deserializeMessage,
  MessageTooLargeError,
  serializeMessage,
} from '../../../../nodes/shared/message/serialize-message.js';

const MAX = 1 << 20;

/** Through a file and back. */
function kept(msg: object) {
  return deserializeMessage(JSON.parse(JSON.stringify(serializeMessage(msg, MAX).message)));
}

describe('a stored message', () => {
  it('comes back as it was', () => {
    const msg = {
      _msgid: 'm1',
      topic: 'part',
      payload: { operationId: 'o', list: [1, null, 'ä', [true]], nothing: null },
      parts: { id: 'p', index: 0, count: 3 },
      model: { operations: [], warnings: [] },
    };
    kept(msg).should.deepEqual(msg);
  });

  it('keeps what JSON does not know: Buffers, dates, numbers without a value, big integers', () => {
    const msg = { _msgid: 'm1', a: Buffer.from([0, 255]), b: new Date(7), c: [Number.NaN, -Infinity], d: 2n ** 70n };
    kept(msg).should.deepEqual(msg);
  });

  it('takes no object of the message for one of its own signs', () => {
    const msg = { _msgid: 'm1', a: { $buffer: 'AAAA' }, b: { $object: { $date: 1 } }, c: { $date: 1, more: 2 } };
    kept(msg).should.deepEqual(msg);
  });

  it('keeps objects that a function node made', () => {
    const payload = vm.runInNewContext('({ list: [{ a: 1 }], when: new Date(5) })');
    kept({ _msgid: 'm1', payload }).payload?.should.deepEqual({ list: [{ a: 1 }], when: new Date(5) });
  });

  it('lacks whole properties that hold something alive, and names them', () => {
    const self: Record<string, unknown> = {};
    self.self = self;
    const res = { _res: new PassThrough(), status: () => 200 };
    const stored = serializeMessage({ _msgid: 'm1', res, self, map: new Map(), kept: 1, nothing: undefined }, MAX);
    stored.missing.should.deepEqual(['res', 'self', 'map']);
    stored.message.should.deepEqual({ _msgid: 'm1', kept: 1 });
  });

  it('is not taken in by names that JavaScript knows', () => {
    const msg = JSON.parse('{"_msgid":"m1","__proto__":{"polluted":true},"constructor":1}');
    const back = kept(msg);
    Object.hasOwn(back, '__proto__').should.be.true();
    ('polluted' in back).should.be.false();
  });

  it('ends no process by its depth', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    serializeMessage({ _msgid: 'm1', deep }, MAX).missing.should.deepEqual(['deep']);
  });

  it('refuses more than it may hold before it has written it', () => {
    (() => serializeMessage({ payload: Buffer.alloc(MAX) }, MAX)).should.throw(MessageTooLargeError);
    (() => serializeMessage({ payload: Array(MAX).fill(0) }, MAX)).should.throw(MessageTooLargeError);
  });
});
