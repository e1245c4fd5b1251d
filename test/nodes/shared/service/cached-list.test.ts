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

  /** Creates a list that cannot be read `failureCount` times. `pauses`: those between the attempts, in ms. */
  function createFailingList(failureCount: number, pauses: number[] = []) {
    let count = 0;
    const read = () => {
      count += 1;
      return count <= failureCount ? Promise.reject(new Error(`attempt ${count}`)) : Promise.resolve(['preview']);
    };
    const sleep = (ms: number) => {
      pauses.push(ms);
      return Promise.resolve();
    };
    return new CachedList({ now: () => 0, read, sleep });
  }

  it('reads a required list again that could not be read, after a second', async () => {
    const pauses: number[] = [];
    const list = createFailingList(4, pauses);
    should(await list.current()).deepEqual([]);
    const { signal } = new AbortController();
    should(await Promise.all([list.required(signal), list.required(signal)])).deepEqual([['preview'], ['preview']]);
    new Set(pauses).should.deepEqual(new Set([1000]));
    should(await list.current()).deepEqual(['preview']);
  });

  it('rejects with the reason if a required list could not be read in five attempts, or was aborted', async () => {
    const { signal } = new AbortController();
    await createFailingList(99).required(signal).should.be.rejectedWith('attempt 5');
    const controller = new AbortController();
    controller.abort(new Error('closing'));
    await createFailingList(99).required(controller.signal).should.be.rejectedWith('closing');
  });
});
