import type { NodeAPI } from 'node-red';
import { asRecord } from '../message/message-input.js';
import { createNodeError } from '../node/flow-error.js';
import { CREDENTIAL_NAMES, type SavedCredentials } from '../service/remote-account.js';

/** Where a remote service is and by which way it is reached: tls and proxy by the ids of their config nodes. */
export interface ServiceEndpoint {
  baseUrl: string;
  tls: string;
  proxy: string;
}

/** A config node that is deployed: its place, and its credentials with variables in place. */
export interface DeployedService {
  place: ServiceEndpoint | undefined;
  credentials: SavedCredentials;
}

/** What the editor shows in place of a password that is stored. */
const STORED_PASSWORD = '__PWRD__';
/** What the editor's list of config nodes holds where none is chosen. */
const NONE = new Set(['_ADD_', '']);

/** Reads what stands in the dialog of a config node for a remote service, as the editor sends it. */
export function readDialogEndpoint(RED: NodeAPI, body: unknown): ServiceEndpoint {
  const { baseUrl, tls, proxy } = asRecord(body);
  const idOf = (value: unknown) => (typeof value === 'string' && !NONE.has(value) ? value : '');
  return { baseUrl: resolveVariable(RED, textOf(baseUrl)).value, tls: idOf(tls), proxy: idOf(proxy) };
}

/**
 * Reads the credentials in the dialog. Those that the dialog does not show (stored ones, and all that come from the environment) are
 * taken only for a place that is deployed: else whoever may edit could have them sent to an address of his own. `NOT_CONFIGURED`.
 */
export function readDialogCredentials(
  RED: NodeAPI,
  body: unknown,
  place: ServiceEndpoint,
  deployed: DeployedService | undefined,
): SavedCredentials {
  const typed = asRecord(asRecord(body).credentials);
  const isDeployed = deployed?.place !== undefined && isSameEndpoint(deployed.place, place);
  const read = (name: (typeof CREDENTIAL_NAMES)[number]): string => {
    const text = textOf(typed[name]);
    const { value, isHidden } = resolveVariable(RED, text);
    if (text !== STORED_PASSWORD && text !== '' && !isHidden) return value;
    if (!isDeployed) throw createHiddenCredentialError(name);
    return text === STORED_PASSWORD ? textOf(deployed.credentials[name]) : value;
  };
  return Object.fromEntries(CREDENTIAL_NAMES.map((name) => [name, read(name)]));
}

function isSameEndpoint(a: ServiceEndpoint, b: ServiceEndpoint): boolean {
  return a.baseUrl === b.baseUrl && a.tls === b.tls && a.proxy === b.proxy;
}

function createHiddenCredentialError(name: string) {
  return createNodeError(
    'NOT_CONFIGURED',
    `the ${name} is not in the dialog, and this address, TLS or proxy is not deployed: type it in, or deploy first`,
  );
}

/** As Node-RED does at a deploy: a text that is `${NAME}` stands for the variable; where there is none it stays. */
function resolveVariable(RED: NodeAPI, text: string): { value: string; isHidden: boolean } {
  if (!/^\$\{[^}]+\}$/.test(text)) return { value: text, isHidden: false };
  // A variable is a string or absent; a node that does not exist yet has none of its own.
  const value: unknown = RED.util.evaluateNodeProperty(text, 'env', {} as never, {});
  return { value: textOf(value) || text, isHidden: true };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
