import 'should';
import { pino } from 'pino';
import { CallbackSender } from '../../../src/service/callbacks/callback-sender.js';
import { LIMITS } from '../../../src/service/defaults.js';

const DUE = { operationId: 'one', url: 'http://127.0.0.1/', isSuccessful: true, attempts: 0, nextAt: 0 };

describe('CallbackSender', () => {
  it('sends a callback only once while its outcome cannot be stored', async () => {
    let sentCount = 0;
    const sender = new CallbackSender({
      callbacks: {
        findDue: async () => [DUE],
        recordAttempt: () => Promise.reject(new Error('the disk is full')),
      },
      isAllowed: () => true,
      limits: LIMITS,
      now: () => 0,
      logger: pino({ level: 'silent' }),
      post: async () => {
        sentCount += 1;
        return 200;
      },
    });
    sender.wake();
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    sentCount.should.equal(1);
    await sender.close();
  });
});
