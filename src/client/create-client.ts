import { describeService } from './calls/describe-service.js';
import { resultSpec, startSpec, statusSpec } from './calls/operations.js';
import { Session } from './calls/session.js';
import { ClientError } from './client-error.js';
import { resolveLimits } from './client-limits.js';
import type { ClientOptions } from './client-options.js';
import { createClock } from './clock.js';
import { CloseSignal } from './close-signal.js';
import { combineSignals } from './combine-signals.js';
import { AccountSource } from './tokens/account-source.js';
import { downloadFile } from './transfers/download.js';
import { uploadFile } from './transfers/upload.js';
import { createTransport } from './transport/transport.js';
import type { CallOptions, Client, TransferOptions, UploadResult, UploadSource } from './types.js';
import { createPollScheduler } from './waiting/poll-scheduler.js';
import { waitForOperation } from './waiting/wait-for-operation.js';

/** A client of one account. Nothing is sent before its first call. `TypeError` for options that make no sense. */
export function createClient(options: ClientOptions): Client {
  const limits = resolveLimits(options.limits);
  const clock = createClock(options);
  const accounts = new AccountSource(options);
  const transport = createTransport(options, limits);
  const session = new Session(accounts, transport, limits, clock);
  const scheduler = options.pollScheduler ?? createPollScheduler({ ...clock, limits });
  const closing = new CloseSignal();
  const running = new Set<Promise<unknown>>();
  const parts = { session, scheduler, limits, clock, closing };

  // No function of its own that waits for the work: ten thousand of them would cost more than what they wait for.
  function trackCall<T>(start: () => Promise<T>): Promise<T> {
    if (closing.aborted) return Promise.reject(new ClientError('ABORTED', 'The client is closed.'));
    const work = start();
    running.add(work);
    const forget = () => running.delete(work);
    work.then(forget, forget);
    return work;
  }

  function call<T>(callOptions: CallOptions | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return trackCall(async () => {
      const { signal, release } = combineSignals([closing, callOptions?.signal]);
      try {
        return await run(signal);
      } finally {
        release();
      }
    });
  }

  function upload(source: UploadSource, callOptions?: TransferOptions): Promise<UploadResult> {
    const run = (signal: AbortSignal) =>
      uploadFile(session, source, limits, { ...callOptions, tempDir: options.tempDir, signal });
    if (!('stream' in source)) return call(callOptions, run);
    // It may break before anything reads it, which would end the process; the upload reports the error, too. An upload that is refused
    // before it reads the stream must not leave it open.
    source.stream.on('error', () => undefined);
    return call(callOptions, run).finally(() => source.stream.destroy());
  }

  return {
    upload,
    start: (operation, parameters, callOptions) =>
      call(callOptions, (signal) =>
        session.call(startSpec(operation, parameters, limits, options.repeatStarts), signal),
      ),
    status: (operationId, callOptions) =>
      call(callOptions, (signal) => session.call(statusSpec(operationId, limits), signal)),
    result: (operationId, operation, callOptions) =>
      call(callOptions, (signal) => session.call(resultSpec(operationId, operation, limits), signal)),
    wait: (operationId, operation, callOptions = {}) =>
      trackCall(() => waitForOperation(parts, operationId, operation, callOptions)),
    download: (fileId, target, callOptions) =>
      call(callOptions, (signal) => downloadFile(session, fileId, target, limits, { ...callOptions, signal })),
    describe: (callOptions) => call(callOptions, (signal) => describeService(session, limits, signal)),
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      if (!options.pollScheduler) scheduler.close();
      try {
        // A token source of the caller's may throw.
        accounts.close();
      } finally {
        transport.close();
      }
    },
  };
}
