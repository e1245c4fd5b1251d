import should from 'should';
import { createMetrics } from '../../src/service/metrics.js';
import type { ServiceState } from '../../src/service/store/statistics.js';

describe('the metrics of the whole service', () => {
  const STATE: ServiceState = {
    ...{ queuedCount: 7, runningCount: 3, oldestQueuedAt: 4000, dueCallbackCount: 2, storedBytes: 10 },
  };

  it('are read once for many scrapes at the same time', async () => {
    let readCount = 0;
    const read = async (): Promise<ServiceState> => {
      readCount += 1;
      return STATE;
    };
    const metrics = createMetrics({ statistics: { read }, now: () => 6500 });
    const texts = await Promise.all([1, 2, 3, 4].map(() => metrics.text()));
    for (const text of texts) {
      text.should.match(/^model_processing_operations\{state="queued"\} 7$/m);
      text.should.match(/^model_processing_operations\{state="running"\} 3$/m);
      text.should.match(/^model_processing_oldest_queued_seconds 2\.5$/m);
      text.should.match(/^model_processing_callbacks_due 2$/m);
      text.should.match(/^model_processing_stored_bytes 10$/m);
    }
    should(readCount).equal(1);
  });

  it('are read again after an error', async () => {
    let isAvailable = false;
    const read = (): Promise<ServiceState> =>
      isAvailable ? Promise.resolve({ ...STATE, oldestQueuedAt: null }) : Promise.reject(new Error('not available'));
    const metrics = createMetrics({ statistics: { read }, now: () => 6500 });
    await metrics.text().should.be.rejectedWith('not available');
    isAvailable = true;
    (await metrics.text()).should.match(/^model_processing_oldest_queued_seconds 0$/m);
  });

  it('include those of a worker only in a process that has one', async () => {
    const read = (): Promise<ServiceState> => Promise.resolve(STATE);
    const metrics = createMetrics({ statistics: { read }, now: Date.now });
    (await metrics.text()).should.not.match(/slots|storing|redeliveries|pool_waits/);
    const { countClaim, countFencedCompletion, setStoringCount } = metrics.createWorkerMetrics(4);
    countClaim({ isRepeated: false, waitMs: 3000, claimMs: 4 });
    countClaim({ isRepeated: true, waitMs: 90_000, claimMs: 4 });
    countFencedCompletion();
    (await metrics.text()).should.match(/^model_processing_storing_operations 0$/m);
    setStoringCount(2);
    const text = await metrics.text();
    text.should.match(/^model_processing_slots 4$/m);
    text.should.match(/^model_processing_storing_operations 2$/m);
    text.should.match(/^model_processing_claim_seconds_count 2$/m);
    text.should.match(/^model_processing_queue_wait_seconds_sum 3$/m);
    text.should.match(/^model_processing_redeliveries_total 1$/m);
    text.should.match(/^model_processing_fenced_completions_total 1$/m);
  });
});
