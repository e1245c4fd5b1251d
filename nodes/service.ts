import type { NodeAPI, NodeDef } from 'node-red';
import { Connection, type ConnectionOptions } from './shared/connection.js';
import type { ServiceNode } from './shared/find-connection.js';
import { readLocalSettings } from './shared/local-program.js';
import { readProxyNode } from './shared/proxy.js';
import { useLocalService } from './shared/registry.js';
import {
  CREDENTIALS,
  missingFields,
  readRemoteAccount,
  remoteAccountKey,
  type SavedCredentials,
} from './shared/remote-account.js';
import { number, oneOf, readSettings, type SettingsOf, text } from './shared/settings.js';

/** Settings of the config node. Times in seconds; `timeout` is how long a wait may last. */
export const SERVICE_FIELDS = {
  name: text(),
  service: oneOf('local', 'remote'),
  baseUrl: text(),
  tls: text(),
  proxy: text(),
  concurrency: number(8, 1),
  pollMin: number(0.25, 0.05),
  pollMax: number(15, 0.05),
  timeout: number(3600, 1),
};

export { CREDENTIALS };

/** Messages that may wait at a config node, where `settings.js` sets no `nodeMessageBufferMaxLength`. */
const MAX_WAITING = 10_000;

type Settings = SettingsOf<typeof SERVICE_FIELDS>;
type ServiceOptions = Pick<
  ConnectionOptions,
  'account' | 'accountKey' | 'problem' | 'notices' | 'release' | 'tls' | 'proxy'
>;

/** The config node: which service, and who we are there. */
export default function register(RED: NodeAPI): void {
  function ServiceConfigNode(this: ServiceNode, saved: NodeDef): void {
    RED.nodes.createNode(this, saved);
    const settings = readSettings(SERVICE_FIELDS, saved);
    const { nodeMessageBufferMaxLength: maxWaiting } = Object(RED.settings);
    const connection = new Connection({
      ...(settings.service === 'local' ? localOptions(RED) : remoteOptions(RED, settings, this.credentials ?? {})),
      concurrency: settings.concurrency,
      maxWaiting: typeof maxWaiting === 'number' && maxWaiting > 0 ? maxWaiting : MAX_WAITING,
      pollMinMs: settings.pollMin * 1000,
      pollMaxMs: settings.pollMax * 1000,
      waitTimeoutMs: settings.timeout * 1000,
    });
    this.connection = connection;
    this.on('close', (_removed: boolean, done: () => void) => {
      connection.close().then(done, done);
    });
  }
  RED.nodes.registerType<ServiceNode, NodeDef, unknown, SavedCredentials>(
    'model-processing-service',
    ServiceConfigNode,
    {
      credentials: CREDENTIALS,
    },
  );
}

const localOptions = (RED: NodeAPI): ServiceOptions => {
  const settings = readLocalSettings(Object(RED.settings).modelProcessing, RED.settings.userDir);
  const { service, release } = useLocalService({
    settings,
    log: ({ level, message }) => {
      const levels = { debug: RED.log.DEBUG, info: RED.log.INFO, warn: RED.log.WARN, error: RED.log.ERROR };
      RED.log.log({ level: levels[level], type: 'model-processing-service', name: 'local', msg: message });
    },
  });
  return {
    account: (signal) => service.account(signal),
    accountKey: ['local', settings.dataDir],
    notices: { current: () => service.notice, onChange: (listener) => service.onChange(listener) },
    release,
  };
};

const remoteOptions = (RED: NodeAPI, settings: Settings, credentials: SavedCredentials): ServiceOptions => {
  const missing = missingFields(settings.baseUrl, credentials);
  const problem = missing.length > 0 ? `the service node lacks ${missing.join(', ')}` : undefined;
  let account: ReturnType<typeof readRemoteAccount> | undefined;
  return {
    problem,
    accountKey: remoteAccountKey(settings.baseUrl, credentials),
    tls: readTls(RED, settings.tls),
    proxy: readProxyNode(settings.proxy ? RED.nodes.getNode(settings.proxy) : undefined),
    account: async () => {
      // Read once it is needed; a file that could not be read is tried again.
      account ??= readRemoteAccount(settings.baseUrl, credentials);
      return account.catch((error: unknown) => {
        account = undefined;
        throw error;
      });
    },
  };
};

const readTls = (RED: NodeAPI, id: string): ServiceOptions['tls'] => {
  const node: object | null = id ? RED.nodes.getNode(id) : null;
  if (!node || !('addTLSOptions' in node) || typeof node.addTLSOptions !== 'function') return undefined;
  return node.addTLSOptions({});
};
