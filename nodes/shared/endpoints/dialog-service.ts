import type { NodeAPI } from 'node-red';
import { asRecord } from '../message/message-input.js';
import { createNodeError } from '../node/flow-error.js';
import { CREDENTIAL_NAMES, type SavedCredentials } from '../service/remote-account.js';

/** The address of a remote service, and the ids of the config nodes for TLS and proxy. */
export interface ServiceEndpoint {
  baseUrl: string;
  tls: string;
  proxy: string;
}

/** The settings of a deployed config node. Environment variables in the credentials are resolved. */
export interface DeployedService {
  /** `undefined` for the local service. */
  endpoint: ServiceEndpoint | undefined;
  credentials: SavedCredentials;
}

/** The placeholder that the editor sends for a stored password. */
const STORED_PASSWORD = '__PWRD__';
/** The values that the editor sends if no config node is selected. */
const NONE = new Set(['_ADD_', '']);

/** Reads the endpoint of a remote service from the dialog of a config node, as sent by the editor. */
export function readDialogEndpoint(RED: NodeAPI, body: unknown): ServiceEndpoint {
  const { baseUrl, tls, proxy } = asRecord(body);
  const toId = (value: unknown) => (typeof value === 'string' && !NONE.has(value) ? value : '');
  return { baseUrl: resolveVariable(RED, toText(baseUrl)).value, tls: toId(tls), proxy: toId(proxy) };
}

/**
 * Reads the credentials from the dialog of a config node. Hidden ones (stored secrets and environment variables) are
 * used only for the deployed endpoint: otherwise a user with edit permission could send them to an address of their
 * own. Throws `NOT_CONFIGURED` if a hidden credential is needed for another endpoint.
 */
export function readDialogCredentials(
  RED: NodeAPI,
  body: unknown,
  endpoint: ServiceEndpoint,
  deployed: DeployedService | undefined,
): SavedCredentials {
  const entered = asRecord(asRecord(body).credentials);
  const isDeployed = deployed?.endpoint !== undefined && isSameEndpoint(deployed.endpoint, endpoint);
  const read = (name: (typeof CREDENTIAL_NAMES)[number]): string => {
    const text = toText(entered[name]);
    const { value, isHidden } = resolveVariable(RED, text);
    if (text !== STORED_PASSWORD && text !== '' && !isHidden) return value;
    if (!isDeployed) throw createHiddenCredentialError(name);
    return text === STORED_PASSWORD ? toText(deployed.credentials[name]) : value;
  };
  return Object.fromEntries(CREDENTIAL_NAMES.map((name) => [name, read(name)]));
}

function isSameEndpoint(a: ServiceEndpoint, b: ServiceEndpoint): boolean {
  return a.baseUrl === b.baseUrl && a.tls === b.tls && a.proxy === b.proxy;
}

function createHiddenCredentialError(name: string) {
  return createNodeError(
    'NOT_CONFIGURED',
    `No ${name} in the dialog, and this address, TLS or proxy is not deployed. Enter it, or deploy first.`,
  );
}

// Resolves `${NAME}` as Node-RED does on a deploy: to the environment variable, or to itself if it does not exist.
function resolveVariable(RED: NodeAPI, text: string): { value: string; isHidden: boolean } {
  if (!/^\$\{[^}]+\}$/.test(text)) return { value: text, isHidden: false };
  // An empty object as the node: a node that is not deployed has no environment variables of its own.
  const value: unknown = RED.util.evaluateNodeProperty(text, 'env', {} as never, {});
  return { value: toText(value) || text, isHidden: true };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
