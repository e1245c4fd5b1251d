import should from 'should';
import { readProblemEntry } from '../../../src/client/replies/read-replies.js';

describe('readProblemEntry', () => {
  it('reads the code, the message and the models of an archive', () => {
    const entry = { code: 42216, message: 'It contains 2 models.', entries: ['a.stl', 'b.stl'] };
    should(readProblemEntry({ ...entry, more: 1 })).deepEqual(entry);
  });

  it('omits models that are no texts, and has code 0 without a number', () => {
    for (const entries of [undefined, null, 'a.stl', [], [1, null]])
      should(readProblemEntry({ code: '42216', message: 'no', entries })).deepEqual({ code: 0, message: 'no' });
  });

  it('returns undefined without a message', () => {
    for (const value of [undefined, null, 'error', {}, { code: 1, message: 2 }])
      should(readProblemEntry(value)).be.undefined();
  });
});
