import 'should';
import { createUserSlots } from '../../../src/service/http/user-slots.js';
import { ServiceError } from '../../../src/service/service-error.js';

describe('createUserSlots', () => {
  it('refuses a further request of a user until one has ended, and none of another user', () => {
    const acquire = createUserSlots(2, () => new ServiceError('TOO_MANY_WAITS', 'too many'));
    const release = acquire('ann');
    acquire('ann');
    (() => acquire('ann')).should.throw('too many');
    acquire('bob');
    release();
    acquire('ann');
    (() => acquire('ann')).should.throw('too many');
  });
});
