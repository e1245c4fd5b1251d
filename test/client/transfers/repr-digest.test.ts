import should from 'should';
import { parseReprDigest } from '../../../src/client/transfers/repr-digest.js';
import { DIGEST, DIGEST_HEADERS, UNUSABLE_DIGEST_HEADERS } from '../../helpers/digest-headers.js';

describe('parseReprDigest', () => {
  for (const [description, header] of Object.entries(DIGEST_HEADERS))
    it(`returns the SHA-256 ${description}`, () => should(parseReprDigest(header)?.equals(DIGEST)).be.true());

  for (const [description, header] of Object.entries(UNUSABLE_DIGEST_HEADERS))
    it(`returns undefined for a header ${description}`, () => should(parseReprDigest(header)).be.undefined());
});
