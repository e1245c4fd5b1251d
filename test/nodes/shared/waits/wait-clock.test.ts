import 'should';
import should from 'should';
import type { PendingWait } from '../../../../nodes/shared/waits/pending-waits.js';
import { elapsedMs, remainingMs, startTimes, type WaitClock } from '../../../../nodes/shared/waits/wait-clock.js';

const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 10 * 365 * 24 * HOUR_MS;
const NOW = Date.UTC(2026, 10, 26);

/** Creates the clocks of a machine. */
function clockAt(boot: string, bootMs: number, wallMs: number): WaitClock {
  return { boot, bootMs: () => bootMs, wallMs: () => wallMs };
}

/** Creates a wait of one hour that began at 0 s of the boot `first`. */
function createWait(): PendingWait {
  const clock = clockAt('first', 0, NOW);
  const wait = {
    msg: { _msgid: 'a' },
    operation: 'repair',
    operationId: 'a',
    filename: undefined,
    ...startTimes(clock),
  };
  remainingMs(wait, HOUR_MS, clock);
  return wait;
}

/** Returns the remaining time of that wait in hours. */
function remainingHours(clock: WaitClock, wait = createWait()): number {
  return remainingMs(wait, HOUR_MS, clock) / HOUR_MS;
}

describe('the remaining time of a wait', () => {
  for (const [jump, jumpMs] of [
    ['no jump', 0],
    ['a jump of 10 years', TEN_YEARS_MS],
    ['a jump of -10 years', -TEN_YEARS_MS],
    ['a jump of 1 h', HOUR_MS],
    ['a jump of -1 h', -HOUR_MS],
  ] as const)
    it(`follows the clock of the boot, with ${jump} of the wall clock`, () => {
      const clock = clockAt('first', HOUR_MS / 4, NOW + HOUR_MS / 4 + jumpMs);
      remainingHours(clock).should.equal(0.75);
      elapsedMs(createWait(), clock).should.equal(HOUR_MS / 4);
      remainingHours(clockAt('first', 2 * HOUR_MS, NOW + jumpMs)).should.equal(-1);
    });

  it('is shorter by a plausible downtime after a boot', () => {
    remainingHours(clockAt('second', 20, NOW + HOUR_MS / 2)).should.equal(0.5);
    remainingHours(clockAt('second', 20, NOW + HOUR_MS)).should.equal(0);
  });

  it('is the whole timeout if the wall clock is before the start, or beyond the timeout after it', () => {
    for (const jumpMs of [-1, -TEN_YEARS_MS, HOUR_MS + 1, TEN_YEARS_MS])
      remainingHours(clockAt('second', 20, NOW + jumpMs)).should.equal(1);
  });

  it('counts from the boot after which it was found, whatever the wall clock does', () => {
    const wait = createWait();
    remainingHours(clockAt('second', 20, 0), wait).should.equal(1);
    remainingHours(clockAt('second', 20 + HOUR_MS / 4, NOW), wait).should.equal(0.75);
    remainingHours(clockAt('third', 20, HOUR_MS / 2), wait).should.equal(0.5);
  });

  it('follows the wall clock if the clock of the boot is that of a container, and was reset', () => {
    const wait = createWait();
    should(wait.boot).not.be.undefined();
    if (wait.boot) wait.boot.startedMs = HOUR_MS;
    remainingHours(clockAt('first', 20, NOW + HOUR_MS / 2), wait).should.equal(0.5);
  });

  it('follows the wall clock for a wait of an earlier version, which has no times of a boot', () => {
    const { boot: _boot, ...wait } = createWait();
    remainingHours(clockAt('first', 20, NOW + HOUR_MS / 4), { ...wait }).should.equal(0.75);
    remainingHours(clockAt('first', 20, NOW + TEN_YEARS_MS), { ...wait }).should.equal(1);
  });

  it('is never negative as an age', () => {
    elapsedMs(createWait(), clockAt('second', 20, NOW - HOUR_MS)).should.equal(0);
  });
});
