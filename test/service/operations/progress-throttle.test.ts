import 'should';
import { createProgressThrottle } from '../../../src/service/operations/progress-throttle.js';

describe('the notes of progress', () => {
  const written: number[] = [];
  let now = 0;
  const create = () =>
    createProgressThrottle(
      async (progress) => {
        written.push(progress);
      },
      () => now,
      (error) => {
        throw error;
      },
    );

  beforeEach(() => {
    written.length = 0;
    now = 1000;
  });

  it('are not made for a job that ends within half a second', async () => {
    const notes = create();
    notes.report(0);
    now += 499;
    notes.report(0.9);
    await notes.flush();
    written.should.deepEqual([]);
  });

  it('are made twice a second from then on', async () => {
    const notes = create();
    for (const progress of [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) {
      now += 250;
      notes.report(progress);
    }
    await notes.flush();
    written.should.deepEqual([0.2, 0.4, 0.6]);
  });
});
