import should from 'should';
import { assertOnDisk, type Space } from '../../../src/service/blobs/space.js';

const SPACE: Space = {
  others: [{ owner: 'you', announcedBytes: 100, grantedBytes: 100, arrivedBytes: 60 }],
  freeBytes: 20,
  totalBytes: 0,
  ownBytes: 0,
  quotaBytes: 1e9,
  ownQuotaBytes: 1e9,
};

describe('assertOnDisk', () => {
  it('says for what the disk has no space', () => {
    for (const [bytes, words] of [
      [0, 'no space for the files that are being written on the disk'],
      [1, 'no space for 1 more byte on the disk'],
      [1000, 'no space for 1000 more bytes on the disk'],
    ] as const)
      should(() => assertOnDisk(bytes, SPACE)).throw(
        new RegExp(`^Disk full: ${words} of the service\\. Free disk space\\.$`),
      );
  });

  it('does not throw if there is space', () => {
    assertOnDisk(0, { ...SPACE, others: [] });
  });
});
