import should from 'should';
import { readRetryAfterMs } from '../../../src/client/replies/retry-after.js';

const MAX_MS = 300_000;
const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';

describe('Retry-After', () => {
  it('is read in seconds', () => {
    should(readRetryAfterMs('12', undefined, MAX_MS)).equal(12_000);
    should(readRetryAfterMs('0', undefined, MAX_MS)).equal(0);
  });

  it('is read as a date, held against the date of the reply and not against our clock', () => {
    should(readRetryAfterMs('Sun, 06 Nov 1994 08:50:07 GMT', DATE, MAX_MS)).equal(30_000);
  });

  it('is cut to the longest pause that we accept', () => {
    should(readRetryAfterMs('86400', undefined, MAX_MS)).equal(MAX_MS);
    should(readRetryAfterMs('Mon, 07 Nov 1994 08:49:37 GMT', DATE, MAX_MS)).equal(MAX_MS);
  });

  it('counts as absent where it makes no sense', () => {
    for (const text of [undefined, '', ' ', '-5', 'soon', '1e9', 'NaN', 'Sun, 06 Nov 1994 08:00:00 GMT']) {
      should(readRetryAfterMs(text, DATE, MAX_MS)).be.undefined();
    }
    should(readRetryAfterMs('Sun, 06 Nov 1994 08:50:07 GMT', undefined, MAX_MS)).be.undefined();
  });
});
