import { runInNewContext } from 'node:vm';
import should from 'should';
import { findBytes } from '../../../../nodes/shared/message/bytes.js';

const toText = (value: unknown) => {
  const bytes = findBytes(value);
  return bytes && Buffer.from(bytes).toString('latin1');
};

describe('findBytes', () => {
  it('returns the bytes of a typed array, a DataView or an ArrayBuffer of another realm', () => {
    for (const expression of [
      'Uint8Array.of(97, 98)',
      'Uint8Array.of(97, 98).buffer',
      'new Uint16Array(Uint8Array.of(97, 98).buffer)',
      'new DataView(Uint8Array.of(0, 97, 98).buffer, 1)',
      'Uint8Array.of(0, 97, 98, 0).subarray(1, 3)',
      'new Uint8ClampedArray([97, 98])',
      'const shared = new Uint8Array(new SharedArrayBuffer(2)); shared.set([97, 98]); shared.buffer',
    ])
      should(toText(runInNewContext(expression))).equal('ab', expression);
  });

  it('returns the bytes of a Buffer and of its JSON form', () => {
    should(toText(Buffer.from('ab'))).equal('ab');
    should(toText(JSON.parse(JSON.stringify(Buffer.from('ab'))))).equal('ab');
    should(toText(runInNewContext("({ type: 'Buffer', data: [97, 98] })"))).equal('ab');
    should(toText({ type: 'Buffer', data: [] })).equal('');
  });

  it('returns undefined for other values', () => {
    for (const value of [
      undefined,
      null,
      7,
      'ab',
      [97, 98],
      {},
      { type: 'Buffer', data: 'ab' },
      { type: 'Buffer', data: [97, 256] },
      { type: 'Buffer', data: [97.5] },
      { type: 'Buffer', data: ['97'] },
      { type: 'Buffer', data: [97], path: '/etc/passwd' },
      { type: 'Array', data: [97] },
    ])
      should(findBytes(value)).be.undefined();
  });
});
