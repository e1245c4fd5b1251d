import type { NodeAPI } from 'node-red';
import type { ServiceEndpoint } from '../endpoints/dialog-service.js';
import { readLocalSettings } from '../local-service/local-program.js';
import { createNodeError } from '../node/flow-error.js';
import type { ConnectionOptions } from './connection.js';
import { readProxyNode } from './proxy.js';
import { useLocalService } from './registry.js';
import { missingFields, readRemoteAccount, remoteAccountKey, type SavedCredentials } from './remote-account.js';

/** How a connection reaches its service, and who it is there. */
export type ServiceAccess = Pick<
  ConnectionOptions,
  'account' | 'accountKey' | 'problem' | 'isServing' | 'noticeSource' | 'release' | 'tls' | 'proxy'
>;

/** The way to this Node-RED's own service. Asking for its account starts it. */
export function createLocalAccess(RED: NodeAPI): ServiceAccess & { isServing: () => boolean } {
  const settings = readLocalSettings(Object(RED.settings).modelProcessing, RED.settings.userDir);
  const { service, release } = useLocalService({
    settings,
    log: ({ level, message }) => {
      const levels = { debug: RED.log.DEBUG, info: RED.log.INFO, warn: RED.log.WARN, error: RED.log.ERROR };
      RED.log.log({ level: levels[level], type: 'model-processing-service', name: 'local', msg: message });
    },
  });
  return {
    isServing: () => service.isServing,
    account: (signal) => service.account(signal),
    accountKey: ['local', settings.dataDir],
    noticeSource: { current: () => service.notice, onChange: (listener) => service.onChange(listener) },
    release,
  };
}

/** The way to a remote service. What is missing is its `problem`. */
export function createRemoteAccess(RED: NodeAPI, place: ServiceEndpoint, credentials: SavedCredentials): ServiceAccess {
  const { baseUrl } = place;
  const missing = missingFields(baseUrl, credentials);
  const problem =
    missing.length > 0
      ? `the service node lacks: ${missing.map((name) => RED._(`service.label.${name}`)).join(', ')}`
      : undefined;
  let account: ReturnType<typeof readRemoteAccount> | undefined;
  return {
    problem,
    accountKey: remoteAccountKey(baseUrl, credentials),
    tls: readTls(RED, place.tls),
    proxy: readProxyNode(place.proxy ? RED.nodes.getNode(place.proxy) : undefined),
    account: async () => {
      // Read once it is needed; a file that could not be read is tried again.
      account ??= readRemoteAccount(baseUrl, credentials);
      return account.catch((error: unknown) => {
        account = undefined;
        throw error;
      });
    },
  };
}

/** `NOT_CONFIGURED` where one of the config nodes of a place is in the editor alone, so that the way cannot be gone yet. */
export function assertDeployed(RED: NodeAPI, { tls, proxy }: ServiceEndpoint): void {
  for (const [what, id] of Object.entries({ TLS: tls, proxy })) {
    const node: object | null = id ? RED.nodes.getNode(id) : null;
    if (id && !node)
      throw createNodeError('NOT_CONFIGURED', `the ${what} settings are not deployed yet: deploy, then test`);
  }
}

function readTls(RED: NodeAPI, id: string): ServiceAccess['tls'] {
  const node: object | null = id ? RED.nodes.getNode(id) : null;
  if (!node || !('addTLSOptions' in node) || typeof node.addTLSOptions !== 'function') return undefined;
  return node.addTLSOptions({});
}
