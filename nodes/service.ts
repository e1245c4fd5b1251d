import type { NodeAPI, NodeDef } from 'node-red';
import { createConnectionCallbacks } from './shared/callbacks/connection-callbacks.js';
import { findCloseTimeout } from './shared/close-timeout.js';
import { registerFormatsEndpoint } from './shared/endpoints/formats-endpoint.js';
import { registerTestEndpoint } from './shared/endpoints/test-endpoint.js';
import { LOCAL_SETTINGS } from './shared/local-service/local-program.js';
import { NUMBER_RULES } from './shared/node/field-rules.js';
import { choiceField, numberField, readSettings, textField } from './shared/node/settings.js';
import { Connection } from './shared/service/connection.js';
import type { ServiceNode } from './shared/service/find-connection.js';
import { useCallbackReceiver, useSpoolFolder } from './shared/service/registry.js';
import { CREDENTIALS, listVariables, type SavedCredentials } from './shared/service/remote-account.js';
import { createLocalAccess, createRemoteAccess } from './shared/service/service-access.js';

/** The properties of the config node. Times are in seconds; `timeout` is the wait timeout. */
export const SERVICE_FIELDS = {
  name: textField(),
  service: choiceField('local', 'remote'),
  baseUrl: textField(),
  tls: textField(),
  proxy: textField(),
  concurrency: numberField(8, NUMBER_RULES.concurrency),
  pollMin: numberField(0.25, NUMBER_RULES.pollMin),
  pollMax: numberField(15, NUMBER_RULES.pollMax),
  timeout: numberField(3600, NUMBER_RULES.timeout),
  callbackUrl: textField(),
};

export { CREDENTIALS };

/** The default maximum of queued messages, if `settings.js` has no `nodeMessageBufferMaxLength`. */
const MAX_QUEUED_MESSAGES = 10_000;

/** Registers the config node: the service that the nodes use, and the account they use it with. */
export default function register(RED: NodeAPI): void {
  function ServiceConfigNode(this: ServiceNode, saved: NodeDef): void {
    RED.nodes.createNode(this, saved);
    const settings = readSettings(SERVICE_FIELDS, saved);
    const { nodeMessageBufferMaxLength: maxQueued } = Object(RED.settings);
    const credentials = this.credentials ?? {};
    const { baseUrl, tls, proxy } = settings;
    const endpoint = settings.service === 'remote' ? { baseUrl, tls, proxy } : undefined;
    this.deployed = { endpoint, credentials };
    const access = endpoint ? createRemoteAccess(RED, endpoint, credentials) : createLocalAccess(RED);
    const { callbacks, problem } = createConnectionCallbacks(RED, useCallbackReceiver(RED), this.id, settings);
    const connection = new Connection({
      ...access,
      problem: access.problem ?? problem,
      callbacks,
      warn: (message) => this.warn(message),
      concurrency: settings.concurrency,
      spoolDir: useSpoolFolder(RED.settings),
      maxQueued: typeof maxQueued === 'number' && maxQueued > 0 ? maxQueued : MAX_QUEUED_MESSAGES,
      pollMinMs: settings.pollMin * 1000,
      pollMaxMs: settings.pollMax * 1000,
      waitTimeoutMs: settings.timeout * 1000,
      closeTimeoutMs: findCloseTimeout(RED),
    });
    this.connection = connection;
    this.on('close', (isRemoved: boolean, done: () => void) => {
      connection.close(isRemoved).then(done, done);
    });
  }
  // Before a flow with this node is deployed: services may still send callbacks of deleted flows.
  useCallbackReceiver(RED);
  registerTestEndpoint(RED);
  registerFormatsEndpoint(RED);
  warnAboutUnknownSettings(RED);
  RED.nodes.registerType<ServiceNode, NodeDef, unknown, SavedCredentials>(
    'model-processing-service',
    ServiceConfigNode,
    {
      credentials: CREDENTIALS,
      // The dialog requires the other credentials of a remote service.
      settings: { modelProcessingServiceVariables: { value: listVariables(), exportable: true } },
    },
  );
}

// A mistyped setting would otherwise be ignored silently.
function warnAboutUnknownSettings(RED: NodeAPI): void {
  const names = Object.keys(Object(Object(RED.settings).modelProcessing));
  const unknown = names.filter((name) => !LOCAL_SETTINGS.includes(name));
  if (unknown.length === 0) return;
  const supported = LOCAL_SETTINGS.join(', ');
  RED.log.warn(
    `modelProcessing in settings.js: unknown setting ${unknown.join(', ')}; supported settings: ${supported}`,
  );
}
