import should from 'should';
import { CachedList } from '../../../../nodes/shared/service/cached-list.js';

describe('CachedList', () => {
  it('returns the last list for 30 seconds if the list cannot be read again', async () => {
    let time = 0;
    const reads = [() => Promise.resolve(['repair']), () => Promise.reject(new Error('no connection'))];
    const list = new CachedList({
      now: () => time,
      read: () => (reads.shift() ?? (() => Promise.resolve(['repair', 'preview'])))(),
    });
    should(await list.current()).deepEqual(['repair']);
    time = 300_000;
    should(await list.current()).deepEqual(['repair']);
    time = 330_000;
    should(await list.current()).deepEqual(['repair', 'preview']);
  });
});
