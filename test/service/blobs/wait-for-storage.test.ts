import should from 'should';
import { waitForStorage } from '../../../src/service/blobs/wait-for-storage.js';
import { ServiceError, type ServiceErrorCode } from '../../../src/service/service-error.js';

describe('waitForStorage', () => {
  const { signal } = new AbortController();
  let count: number;
  beforeEach(() => {
    count = 0;
  });

  /** Fails `failures` times, then resolves with the number of calls. */
  async function access(failures: number, code: ServiceErrorCode = 'STORAGE_UNAVAILABLE'): Promise<number> {
    count += 1;
    if (count <= failures) throw new ServiceError(code, 'Retry later.', { retryAfterS: 0.001 });
    return count;
  }

  for (const code of ['STORAGE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'] as const) {
    it(`calls again after ${code}`, async () => {
      should(await waitForStorage(() => access(3, code), signal)).equal(4);
    });
  }

  it('throws any other error at once', async () => {
    const fail = async (): Promise<never> => {
      count += 1;
      throw new Error('The disk failed.');
    };
    await should(waitForStorage(fail, signal)).be.rejectedWith('The disk failed.');
    should(count).equal(1);
  });

  it('throws the error of the storage after the deadline', async () => {
    const alreadyOver = -1;
    await should(waitForStorage(() => access(1), signal, alreadyOver)).be.rejectedWith({ code: 'STORAGE_UNAVAILABLE' });
    should(count).equal(1);
  });

  it('throws the abort reason', async () => {
    const controller = new AbortController();
    const waiting = waitForStorage(() => {
      if (count === 2) controller.abort(new Error('The service is stopping.'));
      return access(Number.POSITIVE_INFINITY);
    }, controller.signal);
    await should(waiting).be.rejectedWith('The service is stopping.');
    should(count).equal(3);
  });
});
