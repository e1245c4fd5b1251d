import 'should';
import { WorkQueue } from '../../../../nodes/shared/service/work-queue.js';
import { nextTurn } from '../../../helpers/next-turn.js';

/** Returns work that runs until the test ends it. */
function createWork() {
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

describe('WorkQueue', () => {
  const { signal } = new AbortController();

  it('runs two jobs at a concurrency of two, and starts the others in order', async () => {
    const queue = new WorkQueue({ concurrency: 2, transfers: 2, maxQueued: 10 });
    const jobs = [createWork(), createWork(), createWork(), createWork()];
    const all = jobs.map(({ run }) => queue.run('call', signal, run));
    const started = () => jobs.map(({ work }) => work.isStarted);
    await nextTurn();
    started().should.deepEqual([true, true, false, false]);
    jobs[1]?.work.end();
    await nextTurn();
    started().should.deepEqual([true, true, true, false]);
    for (const { work } of jobs) work.end();
    await Promise.all(all);
  });

  it('runs other work while work pauses, which then waits for another turn', async () => {
    const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 1 });
    const [resumed, other] = [createWork(), createWork()];
    const pausing = queue.run('call', signal, async (pause) => {
      await pause(1, signal);
      return resumed.run();
    });
    const otherRun = queue.run('call', signal, other.run);
    while (!other.work.isStarted) await nextTurn();
    resumed.work.isStarted.should.be.false();
    other.work.end();
    await otherRun;
    while (!resumed.work.isStarted) await nextTurn();
    queue.hasRoom('call').should.be.false();
    resumed.work.end();
    await pausing;
    queue.hasRoom('call').should.be.true();
  });

  for (const name of ['work', 'pause'] as const)
    it(`ends a pause with the reason of the signal of the ${name}, and gives its turn back once`, async () => {
      const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 1 });
      const controllers = { work: new AbortController(), pause: new AbortController() };
      const reason = new Error('stop');
      const run = queue.run('call', controllers.work.signal, (pause) => pause(1e6, controllers.pause.signal));
      await nextTurn();
      controllers[name].abort(reason);
      await run.should.be.rejectedWith(reason);
      queue.hasRoom('call').should.be.true();
      const [first, second] = [createWork(), createWork()];
      const all = [queue.run('call', signal, first.run), queue.run('call', signal, second.run)];
      await nextTurn();
      second.work.isStarted.should.be.false();
      for (const { work } of [first, second]) work.end();
      await Promise.all(all);
    });

  it('runs a call before a transfer that waits for another transfer', async () => {
    const queue = new WorkQueue({ concurrency: 3, transfers: 1, maxQueued: 10 });
    const [first, second, call] = [createWork(), createWork(), createWork()];
    const all = [
      queue.run('transfer', signal, first.run),
      queue.run('transfer', signal, second.run),
      queue.run('call', signal, call.run),
    ];
    await nextTurn();
    [first, second, call].map(({ work }) => work.isStarted).should.deepEqual([true, false, true]);
    for (const { work } of [first, second, call]) work.end();
    await Promise.all(all);
  });

  it('returns the result of work, and continues after work that failed', async () => {
    const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 10 });
    const failing = queue.run('call', signal, () => Promise.reject(new Error('no')));
    const next = queue.run('call', signal, () => Promise.resolve(7));
    await failing.should.be.rejectedWith('no');
    (await next).should.equal(7);
  });

  it('rejects work beyond maxQueued with QUEUE_FULL', async () => {
    const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 1 });
    const [first, second] = [createWork(), createWork()];
    const all = [queue.run('call', signal, first.run), queue.run('call', signal, second.run)];
    await queue.run('call', signal, () => Promise.resolve()).should.be.rejectedWith({ code: 'QUEUE_FULL' });
    first.work.end();
    second.work.end();
    await Promise.all(all);
  });

  it('never starts queued work that was aborted', async () => {
    const queue = new WorkQueue({ concurrency: 1, transfers: 1, maxQueued: 1 });
    const aborting = new AbortController();
    const [first, second, third] = [createWork(), createWork(), createWork()];
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
