import should from 'should';
import { createFailedLogins } from '../../../src/service/auth/failed-logins.js';
import { createLoginChecks, type LoginLimits, TooManyLoginsError } from '../../../src/service/auth/login-checks.js';
import { LIMITS } from '../../../src/service/defaults.js';
import { eventually } from '../../helpers/processes.js';

/** One check of a password that was begun: the test decides how it ends. */
interface Check {
  name: string;
  end: (isCorrect: boolean) => void;
}

describe('createLoginChecks', () => {
  let now: number;
  let begun: Check[];

  beforeEach(() => {
    now = 0;
    begun = [];
  });

  /** `random` 0: of several callers the one that has waited for longest is chosen. */
  const createLogins = (limits: Partial<LoginLimits> = {}, random = () => 0) => {
    const check = createLoginChecks({ ...LIMITS, loginDelayMs: 1000, ...limits }, () => now, undefined, random);
    return (network: string, username: string, signal = new AbortController().signal, device?: string) =>
      check(
        { network, clientId: 'app', username, signal, device },
        () => new Promise((end) => begun.push({ name: `${network} ${username}`, end })),
      );
  };

  /** Ends the first check that runs, and waits until the next one had its chance to begin. */
  const endFirst = async (isCorrect: boolean): Promise<string | undefined> => {
    const first = begun.shift();
    first?.end(isCorrect);
    await new Promise(setImmediate);
    return first?.name;
  };

  const names = (): string[] => begun.map(({ name }) => name);

  it('runs two checks at a time, and one of a caller', async () => {
    const logIn = createLogins();
    const logins = [logIn('a', 'ann'), logIn('a', 'ann'), logIn('a', 'bob'), logIn('b', 'bob')];
    names().should.deepEqual(['a ann', 'a bob']);
    await endFirst(true);
    names().should.deepEqual(['a bob', 'a ann']);
    while (begun.length > 0) await endFirst(true);
    should(await Promise.all(logins)).deepEqual([true, true, true, true]);
  });

  it('lets networks take turns, and the users of each', async () => {
    const logIn = createLogins();
    const guesses = ['ann', 'ann', 'bob', 'cid', 'cid', 'cid'].map((user) => logIn('attacker', user));
    const owner = logIn('home', 'ann');
    const order: (string | undefined)[] = [];
    while (begun.length > 0) order.push(await endFirst(true));
    order.slice(0, 2).should.deepEqual(['attacker ann', 'attacker bob'], 'began before the others came');
    order.slice(2, 4).should.containEql('home ann');
    order
      .slice(2)
      .filter((name) => name?.startsWith('attacker'))
      .should.deepEqual(['attacker ann', 'attacker cid', 'attacker cid', 'attacker cid']);
    await Promise.all([...guesses, owner]);
  });

  /** Logs in as ann, after logins under 100 names from the same network, and expects that she begins next. */
  const returnDuringFlood = async (logIn: ReturnType<typeof createLogins>, device?: string) => {
    const flood = Array.from({ length: 100 }, (_, index) => logIn('x', `user ${index}`));
    const returning = logIn('x', 'ann', undefined, device);
    await endFirst(false);
    await endFirst(false);
    names().should.containEql('x ann');
    while (begun.length > 0) await endFirst(true);
    should(await returning).be.true();
    await Promise.all(flood);
  };

  /** Lets logins of a caller fail. */
  const fail = async (logIn: ReturnType<typeof createLogins>, caller: [string, string], times: number) => {
    for (let count = 0; count < times; count++) {
      const guess = logIn(...caller);
      await eventually('the check begins', () => begun.length === 1);
      await endFirst(false);
      should(await guess).equal(false);
    }
  };

  it('delays a caller after some failures, and no other user or network', async () => {
    const logIn = createLogins({ freeLogins: 2, loginDelayMs: 10 });
    await fail(logIn, ['x', 'ann'], 2);
    const owner = logIn('x', 'ann');
    const others = [logIn('y', 'ann'), logIn('x', 'bob')];
    names().should.deepEqual(['y ann', 'x bob']);
    await endFirst(true);
    await endFirst(true);
    now += 9;
    await logInAs(logIn, 'z', 'ann');
    begun.should.have.length(0);
    now += 1;
    await eventually('the delayed check begins', () => begun.length === 1);
    await endFirst(true);
    should(await Promise.all([owner, ...others])).deepEqual([true, true, true]);
  });

  /** Lets a login of a caller succeed, before others that wait. */
  const logInAs = async (logIn: ReturnType<typeof createLogins>, network: string, username: string) => {
    const login = logIn(network, username);
    names().should.deepEqual([`${network} ${username}`]);
    await endFirst(true);
    should(await login).equal(true);
  };

  it('doubles the delay with each failure up to a limit, and forgets it after a success or a while', async () => {
    const limits = { ...LIMITS, freeLogins: 1, loginDelayMs: 1000, maxLoginDelayMs: 3000, loginMemoryMs: 60_000 };
    const failed = createFailedLogins(limits, () => now);
    const delays: number[] = [];
    for (let count = 0; count < 4; count++) {
      failed.add('ann');
      delays.push(failed.delayOf('ann'));
    }
    delays.should.deepEqual([1000, 2000, 3000, 3000]);
    failed.delayOf('bob').should.equal(0);
    now += 1000;
    failed.delayOf('ann').should.equal(2000);
    failed.forget('ann');
    failed.delayOf('ann').should.equal(0);
    failed.add('ann');
    now += 60_000;
    failed.countOf('ann').should.equal(0);
  });

  it('refuses the logins of a delayed caller beyond a few, with the time after which to retry', async () => {
    const logIn = createLogins({ freeLogins: 1, loginDelayMs: 1500, maxDelayedLogins: 2 });
    await fail(logIn, ['x', 'ann'], 1);
    const stop = new AbortController();
    const delayed = [logIn('x', 'ann', stop.signal), logIn('x', 'ann', stop.signal)];
    const refusal = await logIn('x', 'ann').should.be.rejectedWith(TooManyLoginsError);
    should(refusal).have.property('retryAfterSeconds', 2);
    await logInAs(logIn, 'x', 'bob');
    stop.abort(new Error('closed'));
    for (const login of delayed) await login.should.be.rejectedWith('closed');
  });

  it('refuses the last logins of the busiest caller and network when too many wait', async () => {
    const logIn = createLogins({ maxWaitingLogins: 4, maxWaitingLoginsPerNetwork: 3 });
    const untilAnswered = (login: Promise<boolean>): Promise<unknown> =>
      login.catch((error: unknown) => (error instanceof TooManyLoginsError ? 'refused' : error));
    const running = [logIn('r1', 'ann'), logIn('r2', 'ann')];
    const guesses = Array.from({ length: 4 }, () => untilAnswered(logIn('x', 'ann')));
    should(await guesses[3]).equal('refused');
    const sameNetwork = untilAnswered(logIn('x', 'bob'));
    should(await guesses[2]).equal('refused', 'a user of the network with fewer logins');
    const others = [untilAnswered(logIn('y', 'ann')), untilAnswered(logIn('z', 'ann'))];
    should(await guesses[1]).equal('refused', 'another network');
    while (begun.length > 0) await endFirst(true);
    should(await Promise.all([...running, guesses[0], sameNetwork, ...others])).deepEqual(Array(6).fill(true));
  });

  it('lets a known device begin next while logins under 100 names wait, also after failures at its address', async () => {
    const logIn = createLogins({ freeLogins: 1, loginDelayMs: 1_000_000 });
    await fail(logIn, ['x', 'ann'], 1);
    await returnDuringFlood(logIn, 'device of ann');
  });

  it('delays a device after failures, and not the others of its user', async () => {
    const logIn = createLogins({ freeLogins: 1, loginDelayMs: 1_000_000 });
    const guess = logIn('x', 'ann', undefined, 'stolen');
    await endFirst(false);
    should(await guess).be.false();
    const stop = new AbortController();
    const delayed = logIn('x', 'ann', stop.signal, 'stolen');
    names().should.be.empty();
    const other = logIn('x', 'ann', undefined, 'own');
    await endFirst(true);
    should(await other).be.true();
    stop.abort(new Error('closed'));
    await delayed.should.be.rejectedWith('closed');
  });

  it('lets a caller that has logged in before begin next while logins under 100 names wait', async () => {
    const logIn = createLogins();
    await logInAs(logIn, 'x', 'ann');
    await returnDuringFlood(logIn);
  });

  it('takes a random caller of a network, and refuses a random one if too many wait', async () => {
    const choices = [0.5, 0.99];
    const logIn = createLogins({ maxWaitingLoginsPerNetwork: 4 }, () => choices.shift() ?? 0);
    const running = [logIn('r1', 'ann'), logIn('r2', 'ann')]; // one candidate each
    choices.push(0.5); // of five, the third is refused
    const waiting = ['a', 'b', 'c', 'd', 'e'].map((name) => logIn('x', name));
    await (waiting[2] as Promise<boolean>).should.be.rejectedWith(TooManyLoginsError);
    choices.push(0.99); // of four, the last is taken
    await endFirst(true);
    names().should.deepEqual(['r2 ann', 'x e']);
    while (begun.length > 0) await endFirst(true);
    await Promise.allSettled([...running, ...waiting]);
  });

  it('refuses the newest login if all callers and networks have one and chance says so', async () => {
    const logIn = createLogins({ maxWaitingLogins: 4, maxWaitingLoginsPerNetwork: 2 }, () => 0.99);
    const logins = ['r1', 'r2', 'x', 'y'].map((network) => logIn(network, 'ann'));
    logins.push(logIn('x', 'bob'));
    await logIn('x', 'cid').should.be.rejectedWith(TooManyLoginsError);
    logins.push(logIn('z', 'ann'));
    await logIn('y', 'bob').should.be.rejectedWith(TooManyLoginsError);
    while (begun.length > 0) await endFirst(true);
    should(await Promise.all(logins)).deepEqual(Array(6).fill(true));
  });

  it('does not check the password of a caller that has left', async () => {
    const logIn = createLogins();
    const stop = new AbortController();
    const running = [logIn('x', 'ann'), logIn('x', 'bob')];
    const left = logIn('y', 'ann', stop.signal);
    stop.abort(new Error('closed'));
    await left.should.be.rejectedWith('closed');
    await logIn('y', 'ann', stop.signal).should.be.rejectedWith('closed');
    await endFirst(true);
    await endFirst(true);
    begun.should.have.length(0);
    await Promise.all(running);
  });
});
