import type { Readable } from 'node:stream';
import { describeService, listImportExtensions, readFormats, readNames } from './calls/describe-service.js';
import { addIdempotencyKey } from './calls/idempotency-key.js';
import { createManagementCalls } from './calls/management-calls.js';
import { createResultSpec, createStartSpec, createStatusSpec } from './calls/operations.js';
import { ServiceFeatures } from './calls/service-features.js';
import { type CallSpec, Session } from './calls/session.js';
import { ClientError } from './client-error.js';
import { resolveLimits } from './client-limits.js';
import type { ClientOptions } from './client-options.js';
import { abortedError, createClock } from './clock.js';
import { CloseSignal } from './close-signal.js';
import { combineSignals, endAfterAbort } from './combine-signals.js';
import type { Fields } from './replies/read-fields.js';
import { AccountSource } from './tokens/account-source.js';
import { downloadFile } from './transfers/download.js';
import { uploadFile } from './transfers/upload.js';
import { createStreamInUseError } from './transfers/upload-checks.js';
import { createTransport } from './transport/transport.js';
import type { CallOptions, Client, UploadOptions, UploadResult, UploadSource } from './types.js';
import type { CompletionPoller } from './waiting/completion-poller.js';
import { createPollScheduler } from './waiting/poll-scheduler.js';
import { waitForOperation } from './waiting/wait-for-operation.js';

/** Creates a client for one account. Sends nothing before the first call. Throws a `TypeError` for invalid options. */
export function createClient(options: ClientOptions): Client {
  const limits = resolveLimits(options.limits);
  const clock = createClock(options);
  const accounts = new AccountSource(options);
  const transport = createTransport(options, limits);
  const session = new Session(accounts, transport, limits, clock);
  const scheduler = options.pollScheduler ?? createPollScheduler({ ...clock, limits });
  const closing = new CloseSignal();
  const running = new Set<Promise<unknown>>();
  const features = new ServiceFeatures({ session, limits, clock, closing });
  const waits = new Set<CompletionPoller>();
  /** The streams of all uploads: a stream can be read once. */
  const streams = new WeakSet<Readable>();
  const dependencies = { session, scheduler, limits, clock, closing, waits };

  // Not an async function: with 10,000 waits, the additional promises would take more time than the work.
  function trackCall<T>(start: () => Promise<T>): Promise<T> {
    if (closing.aborted) return Promise.reject(new ClientError('ABORTED', 'The client is closed.'));
    const promise = start();
    running.add(promise);
    const remove = () => running.delete(promise);
    promise.then(remove, remove);
    return promise;
  }

  function call<T>(callOptions: CallOptions | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return trackCall(async () => {
      const { signal, release } = combineSignals([closing, callOptions?.signal]);
      try {
        return await endAfterAbort(run(signal), signal, () => abortedError());
      } finally {
        release();
      }
    });
  }

  /** Makes a call that creates something: with an idempotency key, if the option is set and the service has them. */
  async function callOnce<T>(spec: CallSpec<T>, signal: AbortSignal): Promise<T> {
    const hasKeys = options.idempotencyKeys && (await features.has('idempotency-key', signal));
    return session.call(hasKeys ? addIdempotencyKey(spec) : spec, signal);
  }

  function upload(source: UploadSource, callOptions?: UploadOptions): Promise<UploadResult> {
    const run = (signal: AbortSignal) =>
      uploadFile(callOnce, source, limits, { ...callOptions, tempDir: options.spoolDir ?? options.tempDir, signal });
    if (!('stream' in source)) return call(callOptions, run);
    if (streams.has(source.stream)) return Promise.reject(createStreamInUseError(source.filename));
    streams.add(source.stream);
    // The stream may fail before it is read, and an unhandled error would terminate the process. The upload reports it.
    // An upload that fails before it reads the stream must not leave it open.
    source.stream.on('error', () => undefined);
    return call(callOptions, run).finally(() => source.stream.destroy());
  }

  function readFormatsPage(callOptions: CallOptions | undefined): Promise<Fields | undefined> {
    return call(callOptions, async (signal) => {
      if (features.isPageMissing) return undefined;
      const { formats, isUnauthorized } = await readFormats(session, limits, signal);
      if (!isUnauthorized) features.record(formats);
      return formats;
    });
  }

  return {
    upload,
    start: (operation, parameters, callOptions) =>
      call(callOptions, (signal) =>
        callOnce(
          {
            ...createStartSpec(operation, parameters, limits, options.repeatStarts),
            onQueueFull: callOptions?.onQueueFull,
          },
          signal,
        ),
      ),
    status: (operationId, callOptions) =>
      call(callOptions, (signal) => session.call(createStatusSpec(operationId, limits), signal)),
    result: (operationId, operation, callOptions) =>
      call(callOptions, (signal) => session.call(createResultSpec(operationId, operation, limits), signal)),
    wait: (operationId, operation, callOptions = {}) =>
      trackCall(() => waitForOperation(dependencies, operationId, operation, callOptions)),
    download: (fileId, target, callOptions) =>
      call(callOptions, (signal) => downloadFile(session, fileId, target, limits, { ...callOptions, signal })),
    ...createManagementCalls({ session, features, limits, waits, call }),
    describe: (callOptions) => call(callOptions, (signal) => describeService(session, limits, signal)),
    importExtensions: async (callOptions) => listImportExtensions(await readFormatsPage(callOptions)),
    operationNames: async (callOptions) => readNames((await readFormatsPage(callOptions))?.operations),
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      if (!options.pollScheduler) scheduler.close();
      try {
        // A token source of the caller may throw.
        accounts.close();
      } finally {
        transport.close();
      }
    },
  };
}
