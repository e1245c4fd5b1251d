import 'should';
import { createPollScheduler, type PollScheduler } from '../../../src/client/index.js';
import type { NextPoll } from '../../../src/client/waiting/poll-scheduler.js';
import { ManualClock } from '../../helpers/manual-clock.js';

describe('PollScheduler', () => {
  let clock: ManualClock;
  let scheduler: PollScheduler;
  let polls: { name: string; at: number }[];
  let expired: string[];

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = createPollScheduler({ now: clock.now, sleep: clock.sleep });
    polls = [];
    expired = [];
  });

  function add(name: string, firstMs: number, next: (count: number) => NextPoll, deadline = 1e9) {
    let count = 0;
    const poll = () => {
      count += 1;
      polls.push({ name, at: clock.time });
      return Promise.resolve(next(count));
    };
    return scheduler.add({ poll, deadline, expire: () => expired.push(name) }, firstMs);
  }

  it('polls each job when it is due, and again after the delay that the job returns', async () => {
    add('slow', 1000, (count) => (count < 3 ? { afterMs: 2000 } : undefined));
    add('fast', 500, () => undefined);
    await clock.advance(10_000);
    polls.should.eql([
      { name: 'fast', at: 500 },
      { name: 'slow', at: 1000 },
      { name: 'slow', at: 3000 },
      { name: 'slow', at: 5000 },
    ]);
  });

  it('uses one timer for 1000 jobs', async () => {
    for (let job = 0; job < 1000; job += 1) add(`${job}`, 1000 + job, () => undefined);
    await clock.advance(0);
    clock.sleeperCount.should.equal(1);
  });

  it('has no timer after the last job', async () => {
    add('only', 100, () => undefined);
    await clock.advance(1000);
    clock.sleeperCount.should.equal(0);
  });

  it('polls at most 50 times per second, the most overdue job first', async () => {
    for (let job = 0; job < 200; job += 1) add(`${job}`, 10 + job / 1000, () => undefined);
    await clock.advance(1000);
    polls.length.should.be.within(55, 65);
    polls.map(({ name }) => Number(name)).should.eql(polls.map((_poll, index) => index));
    await clock.advance(3000);
    polls.length.should.equal(200);
  });

  it('reduces the rate while the service is overloaded, and restores it afterwards', async () => {
    let isOverloaded = true;
    for (let job = 0; job < 100; job += 1) add(`${job}`, 0, () => ({ afterMs: 10, isOverloaded }));
    await clock.advance(5000);
    const before = polls.length;
    await clock.advance(5000);
    (polls.length - before).should.be.below(5 * 50 * 0.1);
    isOverloaded = false;
    await clock.advance(60_000);
    const recovered = polls.length;
    await clock.advance(5000);
    (polls.length - recovered).should.be.approximately(250, 15);
  });

  it('expires a job at its deadline without a poll', async () => {
    add('late', 500, () => ({ afterMs: 60_000 }), 3000);
    await clock.advance(2999);
    expired.should.eql([]);
    await clock.advance(1);
    expired.should.eql(['late']);
    await clock.advance(120_000);
    polls.length.should.equal(1);
  });

  it('neither polls nor expires a removed job', async () => {
    add('removed', 500, () => undefined, 3000).remove();
    await clock.advance(10_000);
    polls.should.eql([]);
    expired.should.eql([]);
  });

  it('polls an expedited job earlier, once', async () => {
    const ticket = add('expedited', 30_000, (count) => (count < 2 ? { afterMs: 20_000 } : undefined));
    add('other', 1000, () => undefined);
    await clock.advance(500);
    ticket.expedite(200);
    ticket.expedite(5000);
    await clock.advance(60_000);
    polls.should.eql([
      { name: 'expedited', at: 700 },
      { name: 'other', at: 1000 },
      { name: 'expedited', at: 20_700 },
    ]);
  });

  it('polls a job that is expedited to 0 ms before all overdue jobs', async () => {
    const ticket = add('expedited', 60_000, () => undefined);
    for (let job = 0; job < 100; job += 1) add(`${job}`, 10, () => undefined);
    await clock.advance(500);
    polls.length.should.be.below(50);
    const before = polls.length;
    ticket.expedite(0);
    await clock.advance(100);
    polls[before]?.name.should.equal('expedited');
  });

  it('ignores expedite after remove, and during a poll of the job', async () => {
    const removed = add('removed', 30_000, () => undefined);
    removed.expedite(100);
    removed.remove();
    removed.expedite(0);
    let end: () => void = () => undefined;
    const poll = () => {
      polls.push({ name: 'long', at: clock.time });
      return new Promise<NextPoll>((resolve) => {
        end = () => resolve(undefined);
      });
    };
    const ticket = scheduler.add({ poll, deadline: 1e9, expire: () => {} }, 100);
    await clock.advance(100);
    ticket.expedite(0);
    await clock.advance(1000);
    end();
    await clock.advance(60_000);
    polls.should.eql([{ name: 'long', at: 100 }]);
  });

  it('removes a job whose poll rejects, and polls the others', async () => {
    scheduler.add({ poll: () => Promise.reject(new Error('broken')), deadline: 1e9, expire: () => {} }, 0);
    add('other', 100, () => undefined);
    await clock.advance(1000);
    polls.length.should.equal(1);
  });

  it('polls at most 8 jobs concurrently', async () => {
    let inFlight = 0;
    let peak = 0;
    const poll = async (): Promise<NextPoll> => {
      inFlight += 1;
      peak = Math.max(peak, inFlight);
      await clock.sleep(1000);
      inFlight -= 1;
      return undefined;
    };
    for (let job = 0; job < 40; job += 1) scheduler.add({ poll, deadline: 1e9, expire: () => {} }, 0);
    await clock.advance(20_000);
    peak.should.equal(8);
    inFlight.should.equal(0);
  });

  it('leaves no timer and does not poll after close', async () => {
    add('open', 100, () => ({ afterMs: 100 }));
    await clock.advance(150);
    scheduler.close();
    await clock.advance(10_000);
    polls.length.should.equal(1);
    clock.sleeperCount.should.equal(0);
  });
});
