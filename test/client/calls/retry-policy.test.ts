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

describe('retryDelayMs', () => {
  it('retries an idempotent call after every transient failure', () => {
    const repeated = KINDS.filter((kind) => delay(kind, 1) !== undefined);
    repeated.should.eql(['unsent', 'stale', 'lost', 'hung', 'throttled', 'gateway', 'server', 'garbled']);
  });

  it('retries a start only if the service cannot have processed it', () => {
    const repeated = KINDS.filter((kind) => delay(kind, 1, { isIdempotent: false }) !== undefined);
    repeated.should.eql(['unsent', 'throttled']);
  });

  it('doubles the delay with each attempt, up to a maximum', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((attempt) => delay('unsent', attempt));
    delays.should.eql([250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  it('returns a random delay between 0 and the ceiling (full jitter)', () => {
    const delayWith = (random: number) =>
      retryDelayMs({ kind: 'lost', attempt: 2, isIdempotent: true }, CLIENT_DEFAULTS, () => random);
    should(delayWith(0)).equal(0);
    should(delayWith(0.999)).be.approximately(1000, 2);
  });

  it('returns at least the Retry-After of the service', () => {
    should(delay('throttled', 1, { retryAfterMs: 7000 })).equal(7000);
    should(delay('throttled', 3, { retryAfterMs: 10 })).equal(1000);
  });

  for (const kind of ['server', 'garbled', 'hung'] as const) {
    it(`returns undefined after four attempts: ${kind}`, () => {
      should(delay(kind, 3)).be.a.Number();
      should(delay(kind, 4)).be.undefined();
    });
  }

  for (const kind of ['unsent', 'stale', 'lost', 'throttled', 'gateway'] as const) {
    it(`retries for more than 15 s of an outage: ${kind}`, () => {
      let totalMs = 0;
      for (let attempt = 1; ; attempt += 1) {
        const delayMs = delay(kind, attempt);
        if (delayMs === undefined) break;
        totalMs += delayMs;
      }
      totalMs.should.be.above(15_000);
    });
  }
});
