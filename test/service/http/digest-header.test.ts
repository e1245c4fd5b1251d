import should from 'should';
import { formatDigestHeader, parseDigestHeader } from '../../../src/service/http/digest-header.js';
import { DIGEST, DIGEST_HEADERS, UNUSABLE_DIGEST_HEADERS } from '../../helpers/digest-headers.js';

describe('formatDigestHeader', () => {
  it('writes a SHA-256 as a byte sequence', () =>
    should(formatDigestHeader(DIGEST.toString('hex'))).equal(DIGEST_HEADERS.alone));
});

describe('parseDigestHeader', () => {
  for (const [description, header] of Object.entries(DIGEST_HEADERS))
    it(`returns the SHA-256 ${description}`, () => should(parseDigestHeader(header)).equal(DIGEST.toString('hex')));

  for (const [description, header] of Object.entries(UNUSABLE_DIGEST_HEADERS))
    it(`returns undefined for a header ${description}`, () => should(parseDigestHeader(header)).be.undefined());
});
