import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DeliveryAttempt } from './callbacks/callback-sender.js';
import type { RunJob } from './kernel/kernel-runner.js';
import type { WorkerMetrics } from './operations/worker-metrics.js';
import type { ServiceState, Statistics } from './store/statistics.js';

/** How often and how long queries have waited for a connection to the database since the start of the process. */
export interface PoolWaits {
  count: number;
  totalMs: number;
}

/** The sources of the metrics that are read on each scrape. */
export interface MetricsDependencies {
  statistics: Statistics;
  /** Returns the time in ms since 1970. */
  now: () => number;
  /** Returns how many requests to the bucket failed after all attempts. Default: there is no bucket. */
  countBucketFailures?: (() => number) | undefined;
  /** Returns how many files this process has marked as damaged. Default: it is not reported. */
  countDamagedFiles?: (() => number) | undefined;
  /** Returns how many files this process has checked in the background. Default: it is not reported. */
  countScrubbedFiles?: (() => number) | undefined;
  /** Default: there is no pool of connections. */
  poolWaits?: Readonly<PoolWaits> | undefined;
}

// Many scrapes at the same time cost as much as one.
const STATE_LIFETIME_MS = 1000;

// Seconds. Requests range from a status poll to a long upload, jobs from a cube to the timeout of an operation.
const REQUEST_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];
const CLAIM_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2];
const WAIT_BUCKETS = [0.1, 0.5, 2, 10, 60, 600, 3600];
const JOB_BUCKETS = [0.1, 0.5, 2, 10, 30, 60, 120, 300, 600];

/** Returns a function that reads the state at most once per `STATE_LIFETIME_MS`. An error is not kept. */
function cacheState({ statistics }: MetricsDependencies): () => Promise<ServiceState> {
  let cached: { state: Promise<ServiceState>; at: number } | undefined;
  return () => {
    if (cached && performance.now() < cached.at + STATE_LIFETIME_MS) return cached.state;
    const state = statistics.read();
    const entry = { state, at: performance.now() };
    cached = entry;
    state.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return state;
  };
}

/** Registers the gauges of the whole service. They are read together. */
function addStateGauges(registry: Registry, dependencies: MetricsDependencies): void {
  const readState = cacheState(dependencies);
  const registers = [registry];
  new Gauge({
    name: 'model_processing_operations',
    help: 'Operations of the whole service that are queued or running',
    labelNames: ['state'],
    registers,
    async collect() {
      const { queuedCount, runningCount } = await readState();
      this.set({ state: 'queued' }, queuedCount);
      this.set({ state: 'running' }, runningCount);
    },
  });
  const addGauge = (name: string, help: string, read: (state: ServiceState) => number): void => {
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        this.set(read(await readState()));
      },
    });
  };
  addGauge(
    'model_processing_oldest_queued_seconds',
    'Age of the oldest queued operation of the whole service, 0 if none is queued',
    ({ oldestQueuedAt }) => (oldestQueuedAt === null ? 0 : Math.max(0, dependencies.now() - oldestQueuedAt) / 1000),
  );
  addGauge(
    'model_processing_callbacks_due',
    'Callbacks that have not been delivered yet',
    ({ dueCallbackCount }) => dueCallbackCount,
  );
  addGauge('model_processing_stored_bytes', 'Size of all stored files and models', ({ storedBytes }) => storedBytes);
}

/** Registers a counter whose value `read` returns. */
function addReadCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    ...{ name, help, registers: [registry] },
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Registers the counters of a process on many machines. */
function addSharedCounters(registry: Registry, dependencies: MetricsDependencies): void {
  const { countBucketFailures, countDamagedFiles, countScrubbedFiles, poolWaits } = dependencies;
  if (countBucketFailures) {
    const help = 'Requests to the object storage that failed after all attempts';
    addReadCounter(registry, 'model_processing_bucket_failures_total', help, countBucketFailures);
  }
  if (countDamagedFiles) {
    const help = 'Stored files that were found to be missing or altered';
    addReadCounter(registry, 'model_processing_damaged_files_total', help, countDamagedFiles);
  }
  if (countScrubbedFiles) {
    const help = 'Stored files that were checked in the background';
    addReadCounter(registry, 'model_processing_scrubbed_files_total', help, countScrubbedFiles);
  }
  if (poolWaits) {
    const help = 'Queries that had to wait for a free connection to the database';
    addReadCounter(registry, 'model_processing_pool_waits_total', help, () => poolWaits.count);
    const timeHelp = 'Time that queries have waited for a free connection to the database';
    addReadCounter(registry, 'model_processing_pool_wait_seconds_total', timeHelp, () => poolWaits.totalMs / 1000);
  }
}

/** Creates the instruments of a process that runs operations. */
function createWorkerInstruments(registers: Registry[]) {
  return {
    slots: new Gauge({
      name: 'model_processing_slots',
      help: 'Operations that this process runs in parallel',
      registers,
    }),
    storing: new Gauge({
      name: 'model_processing_storing_operations',
      help: 'Operations whose outputs this process stores while others run in their slots',
      registers,
    }),
    claims: new Histogram({
      name: 'model_processing_claim_seconds',
      help: 'Duration of the claims of operations',
      buckets: CLAIM_BUCKETS,
      registers,
    }),
    waits: new Histogram({
      name: 'model_processing_queue_wait_seconds',
      help: 'Time from the start of an operation to its first claim',
      buckets: WAIT_BUCKETS,
      registers,
    }),
    redeliveries: new Counter({
      name: 'model_processing_redeliveries_total',
      help: 'Claims of operations whose earlier claim ended with its process, or was lost',
      registers,
    }),
    fenced: new Counter({
      name: 'model_processing_fenced_completions_total',
      help: 'Completions that were refused because the claim was lost',
      registers,
    }),
  };
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
  addStateGauges(registry, dependencies);
  addSharedCounters(registry, dependencies);
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
    /** Adds the metrics of a worker of `slotCount` operations at a time. */
    createWorkerMetrics: (slotCount: number): WorkerMetrics => {
      const { slots, storing, claims, waits, redeliveries, fenced } = createWorkerInstruments([registry]);
      slots.set(slotCount);
      return {
        countClaim: ({ isRepeated, waitMs, claimMs }) => {
          claims.observe(claimMs / 1000);
          if (isRepeated) redeliveries.inc();
          else waits.observe(Math.max(0, waitMs) / 1000);
        },
        countFencedCompletion: () => fenced.inc(),
        setStoringCount: (count) => storing.set(count),
      };
    },
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
