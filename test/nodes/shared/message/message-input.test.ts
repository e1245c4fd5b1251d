import 'should';
import should from 'should';
import { asRecord } from '../../../../nodes/shared/message/message-input.js';

describe('asRecord', () => {
  it('has the properties of an object, and none for other values', () => {
    should(asRecord({ fileId: 'a' }).fileId).equal('a');
    for (const value of [undefined, null, 7, 'text', true, Buffer.from('x'), new Uint8Array(2), ['x']])
      should(asRecord(value).fileId).be.undefined();
  });

  it('evaluates no getter of properties that are not read', () => {
    const payload = {
      filename: 'part.stl',
      get points(): never {
        throw new Error('This property must not be read.');
      },
    };
    should(asRecord(payload).filename).equal('part.stl');
  });
});
