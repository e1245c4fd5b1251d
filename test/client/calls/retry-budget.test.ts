import should from 'should';
import { RetryBudget } from '../../../src/client/calls/retry-budget.js';
import { CLIENT_DEFAULTS } from '../../../src/client/client-limits.js';

describe('retry budget', () => {
  let time: number;
  let budget: RetryBudget;
  const acquire = (count: number) => Array.from({ length: count }, () => budget.tryAcquire());

  beforeEach(() => {
    time = 0;
    budget = new RetryBudget(CLIENT_DEFAULTS, () => time);
  });

  it('repeats a hundred calls at once', () => {
    acquire(100).should.eql(Array.from({ length: 100 }, () => 0));
  });

  it('lets the calls beyond that take turns, fifty a second', () => {
    acquire(100);
    acquire(3).should.eql([20, 40, 60]);
    time = 60;
    acquire(1).should.eql([20]);
  });

  it('repeats no call that would wait longer than 30 s for its turn', () => {
    acquire(100 + 1500);
    should(budget.tryAcquire()).be.undefined();
    time = 1000;
    acquire(50)
      .every((delayMs) => delayMs !== undefined)
      .should.be.true();
    should(budget.tryAcquire()).be.undefined();
  });

  it('is full again after two seconds without a repeated call, and never fuller', () => {
    acquire(100);
    time = 60_000;
    acquire(101).should.eql([...Array.from({ length: 100 }, () => 0), 20]);
  });
});
