import type { NodeAPI } from 'node-red';
import type { ServiceEndpoint } from '../endpoints/dialog-service.js';
import { readLocalSettings } from '../local-service/local-program.js';
import { nameOperator, nameSettings } from '../local-service/name-settings.js';
import { createNodeError } from '../node/flow-error.js';
import type { ConnectionOptions } from './connection.js';
import { readProxyNode } from './proxy.js';
import { useLocalService } from './registry.js';
import { createAccountKey, findAccountProblem, readRemoteAccount, type SavedCredentials } from './remote-account.js';

/** The options of a `Connection` that depend on its service: address, account, TLS and proxy, notices. */
export type ServiceAccess = Pick<
  ConnectionOptions,
  | 'account'
  | 'accountKey'
  | 'adaptMessage'
  | 'problem'
  | 'isServing'
  | 'noticeSource'
  | 'release'
  | 'tls'
  | 'proxy'
  | 'proxyOptions'
>;

/** Creates the access to the local service of this Node-RED instance. Calling `account` starts the service. */
export function createLocalAccess(RED: NodeAPI): ServiceAccess & { isServing: () => boolean } {
  const settings = readLocalSettings(Object(RED.settings).modelProcessing, RED.settings.userDir);
  const { service, release } = useLocalService({
    settings,
    log: ({ level, message }) => {
      // Level of a log line → level of the Node-RED log.
      const levels = { debug: RED.log.DEBUG, info: RED.log.INFO, warn: RED.log.WARN, error: RED.log.ERROR };
      RED.log.log({
        level: levels[level],
        type: 'model-processing-service',
        name: 'local',
        msg: nameSettings(message),
      });
    },
  });
  return {
    adaptMessage: nameSettings,
    isServing: () => service.isServing,
    account: (signal) => service.getAccount(signal),
    accountKey: ['local', settings.dataDir],
    noticeSource: { current: () => service.notice, subscribe: (listener) => service.subscribe(listener) },
    release,
  };
}

/** Creates the access to a remote service. Its `problem` names missing fields and an invalid address. */
export function createRemoteAccess(
  RED: NodeAPI,
  endpoint: ServiceEndpoint,
  credentials: SavedCredentials,
): ServiceAccess {
  const { baseUrl } = endpoint;
  let account: ReturnType<typeof readRemoteAccount> | undefined;
  return {
    problem: findAccountProblem(baseUrl, credentials, process.env, (name) => RED._(`service.label.${name}`)),
    accountKey: createAccountKey(baseUrl, credentials),
    adaptMessage: nameOperator,
    tls: readTls(RED, endpoint.tls),
    proxy: readProxyNode(endpoint.proxy ? RED.nodes.getNode(endpoint.proxy) : undefined),
    proxyOptions: Object(RED.settings).proxyOptions,
    account: async () => {
      // The account is read on the first call. After a failure, the next call reads it again.
      account ??= readRemoteAccount(baseUrl, credentials);
      return account.catch((error: unknown) => {
        account = undefined;
        throw error;
      });
    },
  };
}

/** Throws `NOT_CONFIGURED` if the TLS or proxy node of the endpoint exists only in the editor. */
export function assertDeployed(RED: NodeAPI, { tls, proxy }: ServiceEndpoint): void {
  for (const [label, id] of Object.entries({ TLS: tls, proxy })) {
    const node: object | null = id ? RED.nodes.getNode(id) : null;
    if (id && !node)
      throw createNodeError('NOT_CONFIGURED', `The ${label} settings are not deployed. Deploy, then test again.`);
  }
}

// Returns the TLS options of a tls-config node of Node-RED, or `undefined` if none is selected or deployed.
function readTls(RED: NodeAPI, id: string): ServiceAccess['tls'] {
  const node: object | null = id ? RED.nodes.getNode(id) : null;
  if (!node || !('addTLSOptions' in node) || typeof node.addTLSOptions !== 'function') return undefined;
  return node.addTLSOptions({});
}
