import 'should';
import should from 'should';
import { createNodeError, toFlowError } from '../../../../nodes/shared/node/flow-error.js';

describe('the error that a node hands to done', () => {
  it('has the code and the message of ours, and no cause: Node-RED copies it into the message', () => {
    const thrown = createNodeError('REFUSED', 'the service said no');
    thrown.cause = { headers: { authorization: 'Bearer secret' } };
    const error = toFlowError(thrown);
    error.should.have.properties({ code: 'REFUSED', message: 'the service said no', name: 'REFUSED' });
    should(error.cause).be.undefined();
  });

  it('has the code of the system where that is what went wrong', () => {
    toFlowError(Object.assign(new Error('no space'), { code: 'ENOSPC' })).code?.should.equal('ENOSPC');
  });

  it('blames no input for a mistake of ours: it has no code, and its message', () => {
    const error = toFlowError(new TypeError('x is not a function'));
    should(error.code).be.undefined();
    error.message.should.equal('x is not a function');
  });

  it('is one also where something else than an error was thrown', () => {
    toFlowError('gone').message.should.equal('gone');
    toFlowError(undefined).should.be.an.Error();
  });
});
