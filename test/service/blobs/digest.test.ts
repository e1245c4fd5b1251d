import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import should from 'should';
import { BLOCK_BYTES, Digester, digestFile } from '../../../src/service/blobs/digest.js';
import { createFolder, removeFolder } from '../support/data-folder.js';

describe('the digest of a blob', () => {
  it('of no bytes has the SHA-256 of nothing and no blocks', () => {
    should(new Digester().finish()).deepEqual({
      size: 0,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      blockCrcs: '',
    });
  });

  it('has the check value of CRC-32, in eight digits', () => {
    const digester = new Digester();
    digester.update(Buffer.from('123456789'));
    should(digester.finish().blockCrcs).equal('cbf43926');
  });

  for (const length of [1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 2.5 * BLOCK_BYTES]) {
    it(`of ${length} bytes does not depend on how they arrive, and is that of the file`, async () => {
      const bytes = randomBytes(length);
      const blocks = Array.from({ length: Math.ceil(length / BLOCK_BYTES) }, (_, index) =>
        crc32(bytes.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES))
          .toString(16)
          .padStart(8, '0'),
      );
      const expected = {
        size: length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        blockCrcs: blocks.join(''),
      };
      for (const step of [length, 65_536, 700_001]) {
        const digester = new Digester();
        for (let offset = 0; offset < length; offset += step) digester.update(bytes.subarray(offset, offset + step));
        should(digester.finish()).deepEqual(expected);
      }
      const folder = await createFolder();
      await writeFile(path.join(folder, 'file'), bytes);
      should(digestFile(path.join(folder, 'file'))).deepEqual(expected);
      await removeFolder(folder);
    });
  }
});
