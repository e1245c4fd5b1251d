import 'should';
import { createProgressThrottle } from '../../../src/service/operations/progress-throttle.js';

describe('createProgressThrottle', () => {
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

  it('writes nothing for a job that ends within 500 ms', async () => {
    const throttle = create();
    throttle.report(0);
    now += 499;
    throttle.report(0.9);
    await throttle.flush();
    written.should.deepEqual([]);
  });

  it('writes at most every 500 ms', async () => {
    const throttle = create();
    for (const progress of [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) {
      now += 250;
      throttle.report(progress);
    }
    await throttle.flush();
    written.should.deepEqual([0.2, 0.4, 0.6]);
  });
});
