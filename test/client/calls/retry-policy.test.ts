import should from 'should';
import { retryDelayMs } from '../../../src/client/calls/retry-policy.js';
import { CLIENT_DEFAULTS } from '../../../src/client/client-limits.js';
import type { FailureKind } from '../../../src/client/transport/attempt-failure.js';

const KINDS: FailureKind[] = [
  'unsent',
  'stale',
  'lost',
  'hung',
  'throttled',
  'gateway',
  'server',
  'garbled',
  'unauthorized',
  'final',
];

function delay(kind: FailureKind, attempt: number, more: { isIdempotent?: boolean; retryAfterMs?: number } = {}) {
  return retryDelayMs({ kind, attempt, isIdempotent: true, ...more }, CLIENT_DEFAULTS, () => 0.5);
}

describe('retry policy', () => {
  it('repeats what is idempotent after every failure that may pass', () => {
    const repeated = KINDS.filter((kind) => delay(kind, 1) !== undefined);
    repeated.should.eql(['unsent', 'stale', 'lost', 'hung', 'throttled', 'gateway', 'server', 'garbled']);
  });

  it('repeats a start only where the service surely did nothing', () => {
    const repeated = KINDS.filter((kind) => delay(kind, 1, { isIdempotent: false }) !== undefined);
    repeated.should.eql(['unsent', 'throttled']);
  });

  it('doubles the range of the pause with each try, up to a ceiling', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((tryNumber) => delay('unsent', tryNumber));
    delays.should.eql([250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  it('takes the pause from the whole range', () => {
    const at = (chance: number) =>
      retryDelayMs({ kind: 'lost', attempt: 2, isIdempotent: true }, CLIENT_DEFAULTS, () => chance);
    should(at(0)).equal(0);
    should(at(0.999)).be.approximately(1000, 2);
  });

  it('waits at least as long as the service asks', () => {
    should(delay('throttled', 1, { retryAfterMs: 7000 })).equal(7000);
    should(delay('throttled', 3, { retryAfterMs: 10 })).equal(1000);
  });

  for (const kind of ['server', 'garbled', 'hung'] as const) {
    it(`gives up after four attempts that reached the service: ${kind}`, () => {
      should(delay(kind, 3)).be.a.Number();
      should(delay(kind, 4)).be.undefined();
    });
  }

  for (const kind of ['unsent', 'stale', 'lost', 'throttled', 'gateway'] as const) {
    it(`bridges an outage of more than 15 s: ${kind}`, () => {
      let total = 0;
      for (let tryNumber = 1; ; tryNumber += 1) {
        const pause = delay(kind, tryNumber);
        if (pause === undefined) break;
        total += pause;
      }
      total.should.be.above(15_000);
    });
  }
});
