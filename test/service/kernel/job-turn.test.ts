import should from 'should';
import { JobTurn } from '../../../src/service/kernel/job-turn.js';

describe('the turn of a job', () => {
  let time = 0;
  let turn: JobTurn;

  beforeEach(() => {
    time = 1000;
    turn = new JobTurn(() => time);
  });

  it('counts the time since it began, but not while it is suspended', () => {
    time += 10;
    turn.suspend();
    time += 100;
    turn.suspend();
    should([turn.isSuspended, turn.usedMs, turn.stretchMs]).deepEqual([true, 10, 0]);
    turn.resume();
    time += 3;
    turn.resume();
    should([turn.isSuspended, turn.usedMs, turn.stretchMs]).deepEqual([false, 13, 3]);
  });

  it('tells the state and each change of it until that is no longer wanted', () => {
    const states: boolean[] = [];
    turn.suspend();
    const unfollow = turn.follow((isSuspended) => states.push(isSuspended));
    turn.resume();
    turn.suspend();
    turn.suspend();
    unfollow();
    turn.resume();
    should(states).deepEqual([true, false, true]);
  });
});
