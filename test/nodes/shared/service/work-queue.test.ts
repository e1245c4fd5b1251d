import 'should';
import { WorkQueue } from '../../../../nodes/shared/service/work-queue.js';

/** Work that ends when the test says so. */
function held() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = { isStarted: false, end: () => end() };
  const run = () => {
    work.isStarted = true;
    return ended;
  };
  return { work, run };
}

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('WorkQueue', () => {
  const { signal } = new AbortController();

  it('does as much at once as it may, and the rest in order', async () => {
    const queue = new WorkQueue({ concurrency: 2, transfers: 2, maxQueued: 10 });
    const jobs = [held(), held(), held(), held()];
    const all = jobs.map(({ run }) => queue.run('call', signal, run));
    const started = () => jobs.map(({ work }) => work.isStarted);
    await turn();
    started().should.deepEqual([true, true, false, false]);
    jobs[1]?.work.end();
    await turn();
    started().should.deepEqual([true, true, true, false]);
    for (const { work } of jobs) work.end();
    await Promise.all(all);
  });

  it('lets calls pass transfers that must wait', async () => {
    const queue = new WorkQueue({ concurrency: 3, transfers: 1, maxQueued: 10 });
    const [first, second, call] = [held(), held(), held()];
    const all = [
      queue.run('transfer', signal, first.run),
      queue.run('transfer', signal, second.run),
      queue.run('call', signal, call.run),
    ];
    await turn();
    [first, second, call].map(({ work }) => work.isStarted).should.deepEqual([true, false, true]);
    for (const { work } of [first, second, call]) work.end();
    await Promise.all(all);
  });

  it('gives the result, and goes on after work that failed', async () => {
    const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 10 });
    const failing = queue.run('call', signal, () => Promise.reject(new Error('no')));
    const next = queue.run('call', signal, () => Promise.resolve(7));
    await failing.should.be.rejectedWith('no');
    (await next).should.equal(7);
  });

  it('refuses what would have to wait beyond its bound', async () => {
    const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 1 });
    const [first, second] = [held(), held()];
    const all = [queue.run('call', signal, first.run), queue.run('call', signal, second.run)];
    await queue.run('call', signal, () => Promise.resolve()).should.be.rejectedWith({ code: 'QUEUE_FULL' });
    first.work.end();
    second.work.end();
    await Promise.all(all);
  });

  it('forgets waiting work that is aborted, and never starts it', async () => {
    const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 1 });
    const aborting = new AbortController();
    const [first, second, third] = [held(), held(), held()];
    const running = queue.run('call', signal, first.run);
    const aborted = queue.run('call', aborting.signal, second.run);
    aborting.abort(new Error('closing'));
    await aborted.should.be.rejectedWith('closing');
    const last = queue.run('call', signal, third.run);
    first.work.end();
    third.work.end();
    await Promise.all([running, last]);
    second.work.isStarted.should.be.false();
  });
});
