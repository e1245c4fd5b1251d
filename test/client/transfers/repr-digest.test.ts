import { createHash } from 'node:crypto';
import should from 'should';
import { parseReprDigest } from '../../../src/client/transfers/repr-digest.js';

const DIGEST = createHash('sha256').update('a model').digest();
const BASE64 = DIGEST.toString('base64');
const SHA512 = `sha-512=:${createHash('sha512').update('a model').digest('base64')}:`;

describe('parseReprDigest', () => {
  for (const [title, header] of [
    ['returns the SHA-256', `sha-256=:${BASE64}:`],
    ['finds it among other algorithms', `${SHA512}, sha-256=:${BASE64}:,unixsum=:AAAA:`],
    ['ignores parameters', `sha-256=:${BASE64}:;a=1; b;c=?0`],
    ['ignores whitespace around members', ` ${SHA512} ,\tsha-256=:${BASE64}: `],
    ['returns the last of several', `sha-256=:${SHA512.slice(9, 53)}:, sha-256=:${BASE64}:`],
  ] as const) {
    it(title, () => should(parseReprDigest(header)?.equals(DIGEST)).be.true());
  }

  for (const [description, header] of [
    ['without a SHA-256', SHA512],
    ['without a member', ''],
    ['that is not a byte sequence', `sha-256=${BASE64}`],
    ['in hexadecimal', `sha-256=:${DIGEST.toString('hex')}:`],
    ['of the wrong length', `sha-256=:${DIGEST.subarray(1).toString('base64')}:`],
    ['in upper case', `SHA-256=:${BASE64}:`],
    ['with a space in it', `sha-256=: ${BASE64}:`],
    ['that is not closed', `sha-256=:${BASE64}`],
    ['with characters after it', `sha-256=:${BASE64}:x`],
    ['followed by a comma', `sha-256=:${BASE64}:,`],
    ['beside a malformed member', `sha-256=:${BASE64}:, sha-512="x"`],
    ['of RFC 3230', `SHA-256=${BASE64}`],
  ] as const) {
    it(`returns undefined for a header ${description}`, () => should(parseReprDigest(header)).be.undefined());
  }
});
