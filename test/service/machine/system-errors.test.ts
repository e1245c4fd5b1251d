import should from 'should';
import { codeOf, describeShortage } from '../../../src/service/machine/system-errors.js';

const createError = (code: unknown) => Object.assign(new Error('raw'), { code });

describe('describeShortage', () => {
  it('says what the machine is short of, and what to do', () => {
    should(describeShortage(createError('EMFILE'))).match(/^too many files are open\. Raise .*\(ulimit -n\)$/);
    should(describeShortage(createError('EAGAIN'))).match(/^the limit of processes is reached\. Raise it/);
    should(describeShortage(createError('ENOMEM'))).match(/^memory is short\. Add memory/);
  });

  it('returns undefined for other errors', () => {
    for (const error of [createError('ENOENT'), createError(7), new Error('EMFILE'), 'EMFILE', createError('toString')])
      should(describeShortage(error)).be.undefined();
  });
});

describe('codeOf', () => {
  it('returns the code of an error, if it is a string', () => {
    should(codeOf(createError('EACCES'))).equal('EACCES');
    should(codeOf(createError(7))).be.undefined();
    should(codeOf({ code: 'EACCES' })).be.undefined();
  });
});
