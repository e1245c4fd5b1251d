import { PassThrough } from 'node:stream';
import vm from 'node:vm';
import 'should';
import {
  deserializeMessage,
  MessageTooLargeError,
  serializeMessage,
} from '../../../../nodes/shared/message/serialize-message.js';

const MAX = 1 << 20;

/** Serializes a message to JSON text and deserializes it. */
function roundTrip(msg: object) {
  return deserializeMessage(JSON.parse(JSON.stringify(serializeMessage(msg, MAX).message)));
}

describe('serializeMessage and deserializeMessage', () => {
  it('restore a message', () => {
    const msg = {
      _msgid: 'm1',
      topic: 'part',
      payload: { operationId: 'o', list: [1, null, 'ä', [true]], nothing: null },
      parts: { id: 'p', index: 0, count: 3 },
      model: { operations: [], warnings: [] },
    };
    roundTrip(msg).should.deepEqual(msg);
  });

  it('restore values without a JSON equivalent: Buffers, dates, NaN, infinity and bigint', () => {
    const msg = { _msgid: 'm1', a: Buffer.from([0, 255]), b: new Date(7), c: [Number.NaN, -Infinity], d: 2n ** 70n };
    roundTrip(msg).should.deepEqual(msg);
  });

  it('restore objects that look like a tag of the format', () => {
    const msg = { _msgid: 'm1', a: { $buffer: 'AAAA' }, b: { $object: { $date: 1 } }, c: { $date: 1, more: 2 } };
    roundTrip(msg).should.deepEqual(msg);
  });

  it('restore objects from the realm of a function node', () => {
    const payload = vm.runInNewContext('({ list: [{ a: 1 }], when: new Date(5) })');
    roundTrip({ _msgid: 'm1', payload }).payload?.should.deepEqual({ list: [{ a: 1 }], when: new Date(5) });
  });

  it('omit properties that contain functions, cycles or class instances, and list them in missing', () => {
    const self: Record<string, unknown> = {};
    self.self = self;
    const res = { _res: new PassThrough(), status: () => 200 };
    const stored = serializeMessage({ _msgid: 'm1', res, self, map: new Map(), kept: 1, nothing: undefined }, MAX);
    stored.missing.should.deepEqual(['res', 'self', 'map']);
    stored.message.should.deepEqual({ _msgid: 'm1', kept: 1 });
  });

  it('restore __proto__ and constructor as ordinary properties', () => {
    const msg = JSON.parse('{"_msgid":"m1","__proto__":{"polluted":true},"constructor":1}');
    const restored = roundTrip(msg);
    Object.hasOwn(restored, '__proto__').should.be.true();
    ('polluted' in restored).should.be.false();
  });

  it('omit a property that is nested 100,000 levels deep', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    serializeMessage({ _msgid: 'm1', deep }, MAX).missing.should.deepEqual(['deep']);
  });

  it('throw MessageTooLargeError above the size limit', () => {
    (() => serializeMessage({ payload: Buffer.alloc(MAX) }, MAX)).should.throw(MessageTooLargeError);
    (() => serializeMessage({ payload: Array(MAX).fill(0) }, MAX)).should.throw(MessageTooLargeError);
  });
});
