import { createClient } from '../../../src/client/index.js';
import { toFlowError } from '../node/flow-error.js';
import type { ConnectionOptions } from '../service/connection.js';
import { createProxyResolver } from '../service/proxy.js';

/** The result of a connection test; the dialog formats it. Formats are the ids that the service lists. */
export type ConnectionTestResult =
  | {
      isOk: true;
      service: 'local' | 'remote';
      /** Whether the test started the local service. */
      wasStarted: boolean;
      name?: string | undefined;
      version?: string | undefined;
      importFormats: string[];
      exportFormats: string[];
    }
  | { isOk: false; code: string | undefined; message: string };

/** The service of one connection test. `release` is called at the end of the test. */
export interface ServiceUnderTest
  extends Pick<ConnectionOptions, 'account' | 'tls' | 'proxy' | 'proxyOptions' | 'release'> {
  service: 'local' | 'remote';
  /** Whether the service ran before the test. */
  isRunning: boolean;
}

/** A single attempt with a short timeout: the user waits for the result and can repeat the test. */
const LIMITS = { maxTries: 1, maxOutageTries: 1, replyTimeoutMs: 10_000 };
/** Longer than the start timeout of the local service. */
const DEADLINE_MS = 45_000;

/** Tests a connection: requests a new token for the account, then the description of the service. Never rejects. */
export async function testConnection(
  open: () => ServiceUnderTest,
  callerSignal: AbortSignal,
): Promise<ConnectionTestResult> {
  const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(DEADLINE_MS)]);
  let tested: ServiceUnderTest | undefined;
  try {
    tested = open();
    const { service, isRunning, account, tls, proxy: chosenProxy, proxyOptions } = tested;
    const proxy = createProxyResolver(chosenProxy, process.env, proxyOptions);
    const client = createClient({ account, tls, proxy, limits: LIMITS });
    try {
      const description = await client.describe({ signal });
      return { isOk: true, service, wasStarted: service === 'local' && !isRunning, ...description };
    } finally {
      await client.close();
    }
  } catch (error) {
    const { code, message } = toFlowError(error);
    return { isOk: false, code: code === 'ABORTED' ? 'TIMEOUT' : code, message };
  } finally {
    tested?.release?.();
  }
}
