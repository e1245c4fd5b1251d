import type { NodeAPI } from 'node-red';
import { nodeError } from './flow-error.js';
import { fieldsOf } from './message-input.js';
import { NAMES, type SavedCredentials } from './remote-account.js';

/** Where a remote service is and by which way it is reached: tls and proxy by the ids of their config nodes. */
export interface ServicePlace {
  baseUrl: string;
  tls: string;
  proxy: string;
}

/** A config node that is deployed: its place, and its credentials with variables in place. */
export interface DeployedService {
  place: ServicePlace | undefined;
  credentials: SavedCredentials;
}

/** What the editor shows in place of a password that is stored. */
const STORED = '__PWRD__';
/** What the editor's list of config nodes holds where none is chosen. */
const NONE = new Set(['_ADD_', '']);

/** Reads what stands in the dialog of a config node for a remote service, as the editor sends it. */
export function readTypedPlace(RED: NodeAPI, body: unknown): ServicePlace {
  const { baseUrl, tls, proxy } = fieldsOf(body);
  const idOf = (value: unknown) => (typeof value === 'string' && !NONE.has(value) ? value : '');
  return { baseUrl: withVariable(RED, textOf(baseUrl)).value, tls: idOf(tls), proxy: idOf(proxy) };
}

/**
 * Reads the credentials in the dialog. Those that the dialog does not show (stored ones, and all that come from the environment) are
 * taken only for a place that is deployed: else whoever may edit could have them sent to an address of his own. `NOT_CONFIGURED`.
 */
export function readTypedCredentials(
  RED: NodeAPI,
  body: unknown,
  place: ServicePlace,
  deployed: DeployedService | undefined,
): SavedCredentials {
  const typed = fieldsOf(fieldsOf(body).credentials);
  const isDeployed = deployed?.place !== undefined && isSamePlace(deployed.place, place);
  const read = (name: (typeof NAMES)[number]): string => {
    const text = textOf(typed[name]);
    const { value, isHidden } = withVariable(RED, text);
    if (text !== STORED && text !== '' && !isHidden) return value;
    if (!isDeployed) throw hiddenError(name);
    return text === STORED ? textOf(deployed.credentials[name]) : value;
  };
  return Object.fromEntries(NAMES.map((name) => [name, read(name)]));
}

function isSamePlace(a: ServicePlace, b: ServicePlace): boolean {
  return a.baseUrl === b.baseUrl && a.tls === b.tls && a.proxy === b.proxy;
}

function hiddenError(name: string) {
  return nodeError(
    'NOT_CONFIGURED',
    `the ${name} is not in the dialog, and this address, TLS or proxy is not deployed: type it in, or deploy first`,
  );
}

/** As Node-RED does at a deploy: a text that is `${NAME}` stands for the variable; where there is none it stays. */
function withVariable(RED: NodeAPI, text: string): { value: string; isHidden: boolean } {
  if (!/^\$\{[^}]+\}$/.test(text)) return { value: text, isHidden: false };
  // A variable is a string or absent; a node that does not exist yet has none of its own.
  const value: unknown = RED.util.evaluateNodeProperty(text, 'env', {} as never, {});
  return { value: textOf(value) || text, isHidden: true };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
