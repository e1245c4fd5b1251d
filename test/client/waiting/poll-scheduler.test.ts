import 'should';
import { createPollScheduler, type PollScheduler } from '../../../src/client/index.js';
import type { NextPoll } from '../../../src/client/waiting/poll-scheduler.js';
import { ManualClock } from '../../helpers/manual-clock.js';

describe('poll scheduler', () => {
  let clock: ManualClock;
  let scheduler: PollScheduler;
  let looks: { name: string; at: number }[];
  let expired: string[];

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = createPollScheduler({ now: clock.now, sleep: clock.sleep });
    looks = [];
    expired = [];
  });

  function add(name: string, firstMs: number, next: (count: number) => NextPoll, deadline = 1e9) {
    let count = 0;
    const poll = () => {
      count += 1;
      looks.push({ name, at: clock.time });
      return Promise.resolve(next(count));
    };
    return scheduler.add({ poll, deadline, expire: () => expired.push(name) }, firstMs);
  }

  it('looks at each job when it is due, and again after the pause that the job asks for', async () => {
    add('slow', 1000, (count) => (count < 3 ? { afterMs: 2000 } : undefined));
    add('fast', 500, () => undefined);
    await clock.advance(10_000);
    looks.should.eql([
      { name: 'fast', at: 500 },
      { name: 'slow', at: 1000 },
      { name: 'slow', at: 3000 },
      { name: 'slow', at: 5000 },
    ]);
  });

  it('has one timer, however many jobs wait', async () => {
    for (let job = 0; job < 1000; job += 1) add(`${job}`, 1000 + job, () => undefined);
    await clock.advance(0);
    clock.sleeperCount.should.equal(1);
  });

  it('has no timer when nothing waits', async () => {
    add('only', 100, () => undefined);
    await clock.advance(1000);
    clock.sleeperCount.should.equal(0);
  });

  it('does not look more often than 50 times a second, and serves the most overdue first', async () => {
    for (let job = 0; job < 200; job += 1) add(`${job}`, 10 + job / 1000, () => undefined);
    await clock.advance(1000);
    looks.length.should.be.within(55, 65);
    looks.map(({ name }) => Number(name)).should.eql(looks.map((_look, index) => index));
    await clock.advance(3000);
    looks.length.should.equal(200);
  });

  it('slows down when the service is overloaded, and recovers when it is well again', async () => {
    let isOverloaded = true;
    for (let job = 0; job < 100; job += 1) add(`${job}`, 0, () => ({ afterMs: 10, isOverloaded }));
    await clock.advance(5000);
    const before = looks.length;
    await clock.advance(5000);
    (looks.length - before).should.be.below(5 * 50 * 0.1);
    isOverloaded = false;
    await clock.advance(60_000);
    const recovered = looks.length;
    await clock.advance(5000);
    (looks.length - recovered).should.be.approximately(250, 15);
  });

  it('tells a job at its deadline, without a look', async () => {
    add('late', 500, () => ({ afterMs: 60_000 }), 3000);
    await clock.advance(2999);
    expired.should.eql([]);
    await clock.advance(1);
    expired.should.eql(['late']);
    await clock.advance(120_000);
    looks.length.should.equal(1);
  });

  it('forgets a job that is taken out', async () => {
    add('gone', 500, () => undefined, 3000).remove();
    await clock.advance(10_000);
    looks.should.eql([]);
    expired.should.eql([]);
  });

  it('looks earlier at a job that is hurried, once', async () => {
    const ticket = add('hurried', 30_000, (count) => (count < 2 ? { afterMs: 20_000 } : undefined));
    add('other', 1000, () => undefined);
    await clock.advance(500);
    ticket.expedite(200);
    ticket.expedite(5000);
    await clock.advance(60_000);
    looks.should.eql([
      { name: 'hurried', at: 700 },
      { name: 'other', at: 1000 },
      { name: 'hurried', at: 20_700 },
    ]);
  });

  it('looks at a job that is hurried before all that are overdue', async () => {
    const ticket = add('hurried', 60_000, () => undefined);
    for (let job = 0; job < 100; job += 1) add(`${job}`, 10, () => undefined);
    await clock.advance(500);
    looks.length.should.be.below(50);
    const before = looks.length;
    ticket.expedite(0);
    await clock.advance(100);
    looks[before]?.name.should.equal('hurried');
  });

  it('looks at no job that was hurried and taken out, nor twice at one that is looked at just now', async () => {
    const gone = add('gone', 30_000, () => undefined);
    gone.expedite(100);
    gone.remove();
    gone.expedite(0);
    let end: () => void = () => undefined;
    const poll = () => {
      looks.push({ name: 'long', at: clock.time });
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
    looks.should.eql([{ name: 'long', at: 100 }]);
  });

  it('takes a job whose look throws out, and goes on with the others', async () => {
    scheduler.add({ poll: () => Promise.reject(new Error('broken')), deadline: 1e9, expire: () => {} }, 0);
    add('other', 100, () => undefined);
    await clock.advance(1000);
    looks.length.should.equal(1);
  });

  it('looks at no more than 8 jobs at once', async () => {
    let underWay = 0;
    let peak = 0;
    const poll = async (): Promise<NextPoll> => {
      underWay += 1;
      peak = Math.max(peak, underWay);
      await clock.sleep(1000);
      underWay -= 1;
      return undefined;
    };
    for (let job = 0; job < 40; job += 1) scheduler.add({ poll, deadline: 1e9, expire: () => {} }, 0);
    await clock.advance(20_000);
    peak.should.equal(8);
    underWay.should.equal(0);
  });

  it('leaves no timer and looks no more when it is closed', async () => {
    add('open', 100, () => ({ afterMs: 100 }));
    await clock.advance(150);
    scheduler.close();
    await clock.advance(10_000);
    looks.length.should.equal(1);
    clock.sleeperCount.should.equal(0);
  });
});
