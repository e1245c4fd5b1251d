import 'should';
import should from 'should';
import { asRecord } from '../../../../nodes/shared/message/message-input.js';

describe('fieldsOf', () => {
  it('gives the fields of an object, and none of what is no object', () => {
    should(asRecord({ fileId: 'a' }).fileId).equal('a');
    for (const value of [undefined, null, 7, 'text', true, Buffer.from('x'), new Uint8Array(2), ['x']])
      should(asRecord(value).fileId).be.undefined();
  });

  it('touches no field that nobody asks for: a payload may hold millions of them', () => {
    const payload = {
      filename: 'part.stl',
      get points(): never {
        throw new Error('nobody asked for it');
      },
    };
    should(asRecord(payload).filename).equal('part.stl');
  });
});
