import 'should';
import should from 'should';
import { createNodeError, toFlowError } from '../../../../nodes/shared/node/flow-error.js';

describe('toFlowError', () => {
  it('keeps code and message of a client error, and drops the cause, which Node-RED would copy into the message', () => {
    const thrown = createNodeError('REFUSED', 'the service said no');
    thrown.cause = { headers: { authorization: 'Bearer secret' } };
    const error = toFlowError(thrown);
    error.should.have.properties({ code: 'REFUSED', message: 'the service said no', name: '' });
    String(error).should.equal('the service said no');
    should(error.cause).be.undefined();
  });

  it('keeps the code of a system error', () => {
    toFlowError(Object.assign(new Error('no space'), { code: 'ENOSPC' })).code?.should.equal('ENOSPC');
  });

  it('keeps the message of an error without a code, which is a bug, and sets no code', () => {
    const error = toFlowError(new TypeError('x is not a function'));
    should(error.code).be.undefined();
    error.message.should.equal('x is not a function');
  });

  it('converts thrown values that are not errors', () => {
    toFlowError('gone').message.should.equal('gone');
    toFlowError(undefined).should.be.an.Error();
  });
});
