import 'should';
import { createSigner } from '../../../src/service/callbacks/create-signer.js';

describe('createSigner', () => {
  it('creates the signature of the example in the Standard Webhooks specification', () => {
    const sign = createSigner('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n');
    const headers = sign('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', 1_614_265_330_999);
    headers.should.deepEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  for (const secret of ['', 'whsec_', 'whsec_c2hvcnQ=', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']) {
    it(`throws USAGE for the secret "${secret}", without it in the message`, () => {
      (() => createSigner(secret)).should.throw({
        code: 'USAGE',
        message: /^Invalid callback secret: expected whsec_ and 24/,
      });
    });
  }
});
