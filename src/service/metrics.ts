import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DeliveryAttempt } from './callbacks/callback-sender.js';
import type { RunJob } from './kernel/kernel-runner.js';
import type { Files } from './store/files.js';
import type { Statistics } from './store/statistics.js';

/** The sources of the gauges. */
export interface MetricsDependencies {
  statistics: Statistics;
  files: Pick<Files, 'totalBytes'>;
  /** Returns how many requests to the bucket failed after all attempts. Default: there is no bucket. */
  countBucketFailures?: (() => number) | undefined;
}

// Seconds. Requests range from a status poll to a long upload, jobs from a cube to the timeout of an operation.
const REQUEST_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];
const JOB_BUCKETS = [0.1, 0.5, 2, 10, 30, 60, 120, 300, 600];

/** Registers the gauges that are read from the store on each scrape. */
function addStoreGauges(registry: Registry, { statistics, files }: MetricsDependencies): void {
  new Gauge({
    name: 'model_processing_operations',
    help: 'Operations that are queued or running',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { queued, running } = await statistics.unfinishedOperations();
      this.set({ state: 'queued' }, queued);
      this.set({ state: 'running' }, running);
    },
  });
  new Gauge({
    name: 'model_processing_callbacks_due',
    help: 'Callbacks that have not been delivered yet',
    registers: [registry],
    async collect() {
      this.set(await statistics.dueCallbacks());
    },
  });
  new Gauge({
    name: 'model_processing_stored_bytes',
    help: 'Size of all stored files and models',
    registers: [registry],
    async collect() {
      this.set(await files.totalBytes());
    },
  });
}

function addBucketFailures(registry: Registry, count: () => number): void {
  new Counter({
    name: 'model_processing_bucket_failures_total',
    help: 'Requests to the object storage that failed after all attempts',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(count());
    },
  });
}

function createInstruments(registers: Registry[]) {
  return {
    requests: new Histogram({
      name: 'model_processing_http_request_seconds',
      help: 'Duration of requests by method, route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    jobs: new Histogram({
      name: 'model_processing_job_seconds',
      help: 'Duration of kernel runs by operation and outcome (done, a failure code, or stopped)',
      labelNames: ['operation', 'outcome'],
      buckets: JOB_BUCKETS,
      registers,
    }),
    crashes: new Counter({
      name: 'model_processing_kernel_crashes_total',
      help: 'Kernel processes that ended without a result',
      registers,
    }),
    cacheHits: new Counter({
      name: 'model_processing_cache_hits_total',
      help: 'Operations that reused the result of an earlier one',
      registers,
    }),
    callbacks: new Counter({
      name: 'model_processing_callback_attempts_total',
      help: 'Delivery attempts of callbacks by outcome: delivered, retried, refused (by the SSRF guard) or given_up',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

/** Creates the metrics of one service, in the text format of Prometheus. */
export function createMetrics(dependencies: MetricsDependencies) {
  const registry = new Registry();
  const { requests, jobs, crashes, cacheHits, callbacks } = createInstruments([registry]);
  addStoreGauges(registry, dependencies);
  if (dependencies.countBucketFailures) addBucketFailures(registry, dependencies.countBucketFailures);
  return {
    contentType: registry.contentType,
    /** Returns the reply body of `/metrics`. */
    text: (): Promise<string> => registry.metrics(),
    countRequest: (method: string, route: string, status: number, ms: number): void => {
      requests.observe({ method, route, status }, ms / 1000);
    },
    countCrash: (): void => crashes.inc(),
    countCacheHit: (): void => cacheHits.inc(),
    countDeliveryAttempt: (outcome: DeliveryAttempt): void => callbacks.inc({ outcome }),
    /** Returns a runner that also records duration and outcome of each job. */
    instrument:
      (run: RunJob): RunJob =>
      async (job, options) => {
        const started = performance.now();
        let outcome = 'stopped';
        try {
          const jobOutcome = await run(job, options);
          outcome = jobOutcome.type === 'done' ? 'done' : jobOutcome.code;
          return jobOutcome;
        } finally {
          jobs.observe({ operation: job.operation, outcome }, (performance.now() - started) / 1000);
        }
      },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
