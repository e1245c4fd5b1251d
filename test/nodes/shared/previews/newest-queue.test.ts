import should from 'should';
import { NewestQueue } from '../../../../nodes/shared/previews/newest-queue.js';

describe('NewestQueue', () => {
  const { signal } = new AbortController();

  /** Returns work that ends when it is told to. */
  function createWork(result: string) {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    return { end, work: () => ended.then(() => result) };
  }

  it('runs one at a time, and only the newest of those that wait', async () => {
    const queue = new NewestQueue();
    const first = createWork('first');
    const results = [queue.run(signal, first.work)];
    for (const name of ['second', 'third', 'fourth']) results.push(queue.run(signal, () => Promise.resolve(name)));
    queue.skippedCount.should.equal(2);
    first.end();
    should(await Promise.all(results)).deepEqual(['first', undefined, undefined, 'fourth']);
    queue.skippedCount.should.equal(0);
  });

  it('continues after work that fails', async () => {
    const queue = new NewestQueue();
    const failing = queue.run(signal, () => Promise.reject(new Error('no')));
    const next = queue.run(signal, () => Promise.resolve('next'));
    await failing.should.be.rejectedWith('no');
    should(await next).equal('next');
  });

  it('rejects with the reason of an abort while it waits, and lets a later one wait', async () => {
    const queue = new NewestQueue();
    const first = createWork('first');
    const running = queue.run(signal, first.work);
    const controller = new AbortController();
    const aborted = queue.run(controller.signal, () => Promise.resolve('aborted'));
    controller.abort(new Error('closing'));
    await aborted.should.be.rejectedWith('closing');
    const last = queue.run(signal, () => Promise.resolve('last'));
    first.end();
    should(await Promise.all([running, last])).deepEqual(['first', 'last']);
  });
});
