import { createHash } from 'node:crypto';
import should from 'should';
import { formatDigestHeader, parseDigestHeader } from '../../../src/service/http/digest-header.js';

const DIGEST = createHash('sha256').update('a model').digest();
const BASE64 = DIGEST.toString('base64');
const SHA512 = `sha-512=:${createHash('sha512').update('a model').digest('base64')}:`;

describe('parseDigestHeader', () => {
  for (const [title, header] of [
    ['returns the SHA-256 that formatDigestHeader wrote', formatDigestHeader(DIGEST.toString('hex'))],
    ['finds it among other algorithms', `${SHA512}, sha-256=:${BASE64}:,unixsum=:AAAA:`],
    ['ignores parameters', `sha-256=:${BASE64}:;a=1; b`],
  ] as const) {
    it(title, () => should(parseDigestHeader(header)).equal(DIGEST.toString('hex')));
  }

  for (const [description, header] of [
    ['without a SHA-256', SHA512],
    ['without a member', ''],
    ['that is not a byte sequence', `sha-256=${BASE64}`],
    ['in hexadecimal', `sha-256=:${DIGEST.toString('hex')}:`],
    ['of the wrong length', `sha-256=:${DIGEST.subarray(1).toString('base64')}:`],
    ['that is not closed', `sha-256=:${BASE64}`],
    ['beside a malformed member', `sha-256=:${BASE64}:, sha-512="x"`],
  ] as const) {
    it(`returns undefined for a header ${description}`, () => should(parseDigestHeader(header)).be.undefined());
  }
});
