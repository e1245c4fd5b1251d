import 'should';
import { createSigner } from '../../../src/service/callbacks/create-signer.js';

describe('the signature of a callback', () => {
  it('is that of the example in the specification of Standard Webhooks', () => {
    const sign = createSigner('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n');
    const headers = sign('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', 1_614_265_330_999);
    headers.should.deepEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  for (const secret of ['', 'whsec_', 'whsec_c2hvcnQ=', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']) {
    it(`is not made with "${secret}", which the refusal does not show`, () => {
      (() => createSigner(secret)).should.throw({
        code: 'USAGE',
        message: /^Invalid callback secret: expected whsec_ and 24/,
      });
    });
  }
});
