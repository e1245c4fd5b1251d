import should from 'should';
import { readRetryAfterMs } from '../../../src/client/replies/retry-after.js';

const MAX_MS = 300_000;
const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';

describe('readRetryAfterMs', () => {
  it('reads seconds', () => {
    should(readRetryAfterMs('12', undefined, MAX_MS)).equal(12_000);
    should(readRetryAfterMs('0', undefined, MAX_MS)).equal(0);
  });

  it('reads a date relative to the Date header of the reply, not to the local clock', () => {
    should(readRetryAfterMs('Sun, 06 Nov 1994 08:50:07 GMT', DATE, MAX_MS)).equal(30_000);
  });

  it('limits the delay to maxMs', () => {
    should(readRetryAfterMs('86400', undefined, MAX_MS)).equal(MAX_MS);
    should(readRetryAfterMs('Mon, 07 Nov 1994 08:49:37 GMT', DATE, MAX_MS)).equal(MAX_MS);
  });

  it('returns undefined for an absent or invalid value', () => {
    for (const text of [undefined, '', ' ', '-5', 'soon', '1e9', 'NaN', 'Sun, 06 Nov 1994 08:00:00 GMT']) {
      should(readRetryAfterMs(text, DATE, MAX_MS)).be.undefined();
    }
    should(readRetryAfterMs('Sun, 06 Nov 1994 08:50:07 GMT', undefined, MAX_MS)).be.undefined();
  });
});
