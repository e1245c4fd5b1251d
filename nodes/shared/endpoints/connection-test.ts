import { createClient } from '../../../src/client/index.js';
import { toFlowError } from '../node/flow-error.js';
import type { ConnectionOptions } from '../service/connection.js';
import { createProxyResolver } from '../service/proxy.js';

/** What a test of a connection found; the dialog puts it in words. Formats are those that the service tells of, by their ids. */
export type ConnectionTestResult =
  | {
      isOk: true;
      service: 'local' | 'remote';
      /** Did the test start the local service? */
      wasStarted: boolean;
      name?: string | undefined;
      version?: string | undefined;
      importFormats: string[];
      exportFormats: string[];
    }
  | { isOk: false; code: string | undefined; message: string };

/** What is tested, made anew for each test; `release` is called at its end. */
export interface ServiceUnderTest extends Pick<ConnectionOptions, 'account' | 'tls' | 'proxy' | 'release'> {
  service: 'local' | 'remote';
  /** Does it run already? */
  isRunning: boolean;
}

/** One try, short times: somebody sits before the dialog and can press the button again. */
const LIMITS = { maxTries: 1, maxOutageTries: 1, replyTimeoutMs: 10_000 };
/** Longer than the local service may take to start. */
const DEADLINE_MS = 45_000;

/** Gets a token of its own for the account and asks the service what it is. Never rejects. */
export async function testConnection(open: () => ServiceUnderTest, stop: AbortSignal): Promise<ConnectionTestResult> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(DEADLINE_MS)]);
  let tested: ServiceUnderTest | undefined;
  try {
    tested = open();
    const { service, isRunning, account, tls, proxy } = tested;
    const client = createClient({ account, tls, proxy: createProxyResolver(proxy), limits: LIMITS });
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
