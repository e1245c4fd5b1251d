import { describeService } from './calls/describe-service.js';
import { resultSpec, startSpec, statusSpec } from './calls/operations.js';
import { Session } from './calls/session.js';
import { ClientError } from './client-error.js';
import { resolveLimits } from './client-limits.js';
import type { ClientOptions } from './client-options.js';
import { createClock } from './clock.js';
import { followSignals } from './follow-signals.js';
import { AccountSource } from './tokens/account-source.js';
import { downloadFile } from './transfers/download.js';
import { uploadFile } from './transfers/upload.js';
import { createTransport } from './transport/transport.js';
import type { CallOptions, Client } from './types.js';
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
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  async function call<T>(given: CallOptions | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (closing.signal.aborted) throw new ClientError('ABORTED', 'The client is closed.');
    const { signal, release } = followSignals([closing.signal, given?.signal]);
    // Within a function of its own, so that what it throws at once goes the same way.
    const work = (async () => run(signal))();
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
      release();
    }
  }

  return {
    upload: (source, given) =>
      call(given, (signal) => uploadFile(session, source, limits, { ...given, tempDir: options.tempDir, signal })),
    start: (operation, parameters, given) =>
      call(given, (signal) => session.call(startSpec(operation, parameters, limits, options.repeatStarts), signal)),
    status: (operationId, given) => call(given, (signal) => session.call(statusSpec(operationId, limits), signal)),
    result: (operationId, operation, given) =>
      call(given, (signal) => session.call(resultSpec(operationId, operation, limits), signal)),
    wait: (operationId, operation, given) =>
      call(given, (signal) =>
        waitForOperation({ session, scheduler, limits, clock }, operationId, operation, { ...given, signal }),
      ),
    download: (fileId, target, given) =>
      call(given, (signal) => downloadFile(session, fileId, target, limits, { ...given, signal })),
    describe: (given) => call(given, (signal) => describeService(session, limits, signal)),
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      if (!options.pollScheduler) scheduler.close();
      accounts.close();
      transport.close();
    },
  };
}
