import { createHash } from 'node:crypto';

/** The SHA-256 that the headers in `DIGEST_HEADERS` contain. */
export const DIGEST = createHash('sha256').update('a model').digest();

const BASE64 = DIGEST.toString('base64');
const SHA512 = `sha-512=:${createHash('sha512').update('a model').digest('base64')}:`;

/** Values of a Repr-Digest header with `DIGEST`. Description → value. */
export const DIGEST_HEADERS: Readonly<Record<string, string>> = {
  alone: `sha-256=:${BASE64}:`,
  'among other algorithms': `${SHA512}, sha-256=:${BASE64}:,unixsum=:AAAA:`,
  'with parameters': `sha-256=:${BASE64}:;a=1; b;c=?0`,
  'with whitespace around members': ` ${SHA512} ,\tsha-256=:${BASE64}: `,
  'as the last of several': `sha-256=:${SHA512.slice(9, 53)}:, sha-256=:${BASE64}:`,
};

/** Values of a Repr-Digest header without a SHA-256, or malformed (RFC 9651). Description → value. */
export const UNUSABLE_DIGEST_HEADERS: Readonly<Record<string, string>> = {
  'without a SHA-256': SHA512,
  'without a member': '',
  'that is not a byte sequence': `sha-256=${BASE64}`,
  'in hexadecimal': `sha-256=:${DIGEST.toString('hex')}:`,
  'of the wrong length': `sha-256=:${DIGEST.subarray(1).toString('base64')}:`,
  'in upper case': `SHA-256=:${BASE64}:`,
  'with a space in it': `sha-256=: ${BASE64}:`,
  'that is not closed': `sha-256=:${BASE64}`,
  'with characters after it': `sha-256=:${BASE64}:x`,
  'followed by a comma': `sha-256=:${BASE64}:,`,
  'beside a malformed member': `sha-256=:${BASE64}:, sha-512="x"`,
  'of RFC 3230': `SHA-256=${BASE64}`,
};
