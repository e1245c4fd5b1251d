import type { NodeAPI, NodeDef } from 'node-red';
import { readCallbackAddress } from './shared/callback-address.js';
import { Connection } from './shared/connection.js';
import type { ServiceNode } from './shared/find-connection.js';
import { registerFormatsEndpoint } from './shared/formats-endpoint.js';
import { LOCAL_SETTINGS } from './shared/local-program.js';
import { useCallbackReceiver } from './shared/registry.js';
import { CREDENTIALS, type SavedCredentials } from './shared/remote-account.js';
import { localWay, remoteWay } from './shared/service-ways.js';
import { number, oneOf, readSettings, text } from './shared/settings.js';
import { registerTestEndpoint } from './shared/test-endpoint.js';

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
  callbackUrl: text(),
};

export { CREDENTIALS };

/** Messages that may wait at a config node, where `settings.js` sets no `nodeMessageBufferMaxLength`. */
const MAX_WAITING = 10_000;

/** The config node: which service, and who we are there. */
export default function register(RED: NodeAPI): void {
  function ServiceConfigNode(this: ServiceNode, saved: NodeDef): void {
    RED.nodes.createNode(this, saved);
    const settings = readSettings(SERVICE_FIELDS, saved);
    const { nodeMessageBufferMaxLength: maxWaiting } = Object(RED.settings);
    const credentials = this.credentials ?? {};
    const { baseUrl, tls, proxy } = settings;
    const place = settings.service === 'remote' ? { baseUrl, tls, proxy } : undefined;
    this.deployed = { place, credentials };
    const way = place ? remoteWay(RED, place, credentials) : localWay(RED);
    const callbacks = readCallbackAddress(settings.callbackUrl, Object(RED.settings).httpNodeRoot);
    const connection = new Connection({
      ...way,
      problem: way.problem ?? callbacks?.problem,
      callbacks:
        callbacks?.address === undefined ? undefined : { ...useCallbackReceiver(RED), address: callbacks.address },
      warn: (message) => this.warn(message),
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
  registerTestEndpoint(RED);
  registerFormatsEndpoint(RED);
  warnOfUnknownSettings(RED);
  RED.nodes.registerType<ServiceNode, NodeDef, unknown, SavedCredentials>(
    'model-processing-service',
    ServiceConfigNode,
    {
      credentials: CREDENTIALS,
    },
  );
}

// A mistyped name would otherwise do nothing, and say nothing.
function warnOfUnknownSettings(RED: NodeAPI): void {
  const given = Object.keys(Object(Object(RED.settings).modelProcessing));
  const unknown = given.filter((name) => !LOCAL_SETTINGS.includes(name));
  if (unknown.length === 0) return;
  const known = LOCAL_SETTINGS.join(', ');
  RED.log.warn(`modelProcessing in settings.js: there is no setting ${unknown.join(', ')}; there are ${known}`);
}
