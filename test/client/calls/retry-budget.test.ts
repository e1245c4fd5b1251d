import should from 'should';
import { RetryBudget } from '../../../src/client/calls/retry-budget.js';
import { CLIENT_DEFAULTS } from '../../../src/client/client-limits.js';

describe('RetryBudget', () => {
  let time: number;
  let budget: RetryBudget;
  const acquire = (count: number) => Array.from({ length: count }, () => budget.tryAcquire());

  beforeEach(() => {
    time = 0;
    budget = new RetryBudget(CLIENT_DEFAULTS, () => time);
  });

  it('allows 100 retries without a delay', () => {
    acquire(100).should.eql(Array.from({ length: 100 }, () => 0));
  });

  it('delays further retries so that 50 per second start', () => {
    acquire(100);
    acquire(3).should.eql([20, 40, 60]);
    time = 60;
    acquire(1).should.eql([20]);
  });

  it('refuses a retry that would wait longer than 30 s', () => {
    acquire(100 + 1500);
    should(budget.tryAcquire()).be.undefined();
    time = 1000;
    acquire(50)
      .every((delayMs) => delayMs !== undefined)
      .should.be.true();
    should(budget.tryAcquire()).be.undefined();
  });

  it('refills to 100 retries at most after a minute without retries', () => {
    acquire(100);
    time = 60_000;
    acquire(101).should.eql([...Array.from({ length: 100 }, () => 0), 20]);
  });
});
