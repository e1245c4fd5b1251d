import { type Client, type ClientLimits, type ClientOptions, createClient } from '../../../../src/client/index.js';
import type { FakeService } from '../../../helpers/fake-service.js';
import { InstantClock } from '../../../helpers/instant-clock.js';

/**
 * The service and the files of the calls. `file` contains `bytes`; `folder` is for downloads, `tempDir` for uploads.
 */
export interface TestEnvironment {
  service: FakeService;
  folder: string;
  tempDir: string;
  file: string;
  bytes: Buffer;
  limits: Partial<ClientLimits>;
}

/** The subject of one run. `run` calls what is tested; `close` can be called at any time. */
export interface Subject {
  run(signal: AbortSignal): Promise<unknown>;
  close(): void | Promise<void>;
}

/** Creates a client of the service with an instant clock. `more`: further options. */
export function clientOf({ service, tempDir, limits }: TestEnvironment, more: Partial<ClientOptions> = {}): Client {
  const { account } = service;
  const options = { account: () => Promise.resolve(account), tempDir, limits, ...new InstantClock(), ...more };
  return createClient(options);
}

/** Returns a function that opens a subject: `run` with a client of its own. `more`: further options of the client. */
export function callOf(
  run: (client: Client, signal: AbortSignal, environment: TestEnvironment) => Promise<unknown>,
  more = {},
) {
  return (environment: TestEnvironment): Subject => {
    const client = clientOf(environment, more);
    return { run: (signal) => run(client, signal, environment), close: () => client.close() };
  };
}

/** Waits for all calls, then throws the first error. */
export async function all(calls: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(calls)) if (outcome.status === 'rejected') throw outcome.reason;
}
