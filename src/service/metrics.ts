import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DeliveryAttempt } from './callbacks/callback-sender.js';
import type { RunJob } from './kernel/kernel-runner.js';
import type { Files } from './store/files.js';
import type { Statistics } from './store/statistics.js';

/** What the gauges read. */
export interface MetricsDependencies {
  counts: Statistics;
  files: Pick<Files, 'totalBytes'>;
}

// From a status poll to a long upload, and from a cube to the deadline of an operation; seconds.
const REQUEST_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];
const JOB_BUCKETS = [0.1, 0.5, 2, 10, 30, 60, 120, 300, 600];

/** Reads what stands in the store at the moment somebody asks. */
function addStoreGauges(registry: Registry, { counts, files }: MetricsDependencies): void {
  new Gauge({
    name: 'model_processing_operations',
    help: 'Operations that wait in the queue or run',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { queued, running } = await counts.unfinishedOperations();
      this.set({ state: 'queued' }, queued);
      this.set({ state: 'running' }, running);
    },
  });
  new Gauge({
    name: 'model_processing_callbacks_due',
    help: 'Callbacks that are still to be delivered',
    registers: [registry],
    async collect() {
      this.set(await counts.dueCallbacks());
    },
  });
  new Gauge({
    name: 'model_processing_stored_bytes',
    help: 'Bytes of all kept files and models',
    registers: [registry],
    async collect() {
      this.set(await files.totalBytes());
    },
  });
}

function createInstruments(registers: Registry[]) {
  return {
    requests: new Histogram({
      name: 'model_processing_http_request_seconds',
      help: 'Requests by route and status, and how long they took',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    jobs: new Histogram({
      name: 'model_processing_job_seconds',
      help: 'Kernel runs by operation and outcome (done, a failure code, or stopped), and how long they took',
      labelNames: ['operation', 'outcome'],
      buckets: JOB_BUCKETS,
      registers,
    }),
    breakdowns: new Counter({
      name: 'model_processing_kernel_crashes_total',
      help: 'Kernel processes that ended without a word',
      registers,
    }),
    recalled: new Counter({
      name: 'model_processing_cache_hits_total',
      help: 'Operations that were answered with what was made before of the same bytes',
      registers,
    }),
    callbacks: new Counter({
      name: 'model_processing_callback_attempts_total',
      help: 'Tries to send a callback, by what they came to: delivered, retried, refused (by the guard) or given_up',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

/** What the service counts and measures, in the text format of Prometheus. Each service has its own. */
export function createMetrics(dependencies: MetricsDependencies) {
  const registry = new Registry();
  const { requests, jobs, breakdowns: crashes, recalled: cacheHits, callbacks } = createInstruments([registry]);
  addStoreGauges(registry, dependencies);
  return {
    contentType: registry.contentType,
    /** The text that `/metrics` answers. */
    text: (): Promise<string> => registry.metrics(),
    countRequest: (method: string, route: string, status: number, ms: number): void => {
      requests.observe({ method, route, status }, ms / 1000);
    },
    countCrash: (): void => crashes.inc(),
    countCacheHit: (): void => cacheHits.inc(),
    countDeliveryAttempt: (outcome: DeliveryAttempt): void => callbacks.inc({ outcome }),
    /** The same runner, measured. */
    instrument:
      (run: RunJob): RunJob =>
      async (job, options) => {
        const started = performance.now();
        let outcome = 'stopped';
        try {
          const ending = await run(job, options);
          outcome = ending.type === 'done' ? 'done' : ending.code;
          return ending;
        } finally {
          jobs.observe({ operation: job.operation, outcome }, (performance.now() - started) / 1000);
        }
      },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
