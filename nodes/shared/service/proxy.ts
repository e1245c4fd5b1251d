import type { ClientProxy } from '../../../src/client/client-options.js';

/** Protocol → default port. */
const PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** A proxy selected in the editor: its URL, and substrings of the addresses that bypass it. */
export interface ChosenProxy {
  url: string | undefined;
  exceptions: string[];
}

/** Reads the settings of a http proxy node of Node-RED. Returns `undefined` if none is selected. */
export function readProxyNode(proxyNode: object | null | undefined): ChosenProxy | undefined {
  if (!proxyNode) return undefined;
  const { url, noproxy, credentials } = Object(proxyNode);
  const exceptions: unknown[] = Array.isArray(noproxy) ? noproxy : [];
  return {
    url: withCredentials(url, Object(credentials)),
    exceptions: exceptions.filter((part): part is string => typeof part === 'string' && part !== ''),
  };
}

/**
 * Returns a function that maps an address to the URL of its proxy, or to `undefined` for a direct connection. Uses the
 * selected proxy if there is one. Otherwise it uses the environment like the core http request node: HTTPS_PROXY or
 * HTTP_PROXY by the scheme of the address, then ALL_PROXY, with the exceptions of NO_PROXY. Lowercase names take
 * precedence.
 */
export function createProxyResolver(chosen: ChosenProxy | undefined, environment = process.env): ClientProxy {
  if (chosen) return (url) => (chosen.exceptions.some((part) => url.includes(part)) ? undefined : chosen.url);
  const variable = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  return (url) => {
    const { protocol } = new URL(url);
    const exceptions = (variable('NO_PROXY') ?? '').split(/[\s,]+/).filter((exception) => exception !== '');
    if (exceptions.some((exception) => matchesNoProxy(new URL(url), exception))) return undefined;
    const proxyUrl = variable(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? variable('ALL_PROXY');
    return proxyUrl?.includes('://') === false ? `http://${proxyUrl}` : proxyUrl;
  };
}

function matchesNoProxy({ protocol, hostname, port }: URL, exception: string): boolean {
  const [, name = '', exceptionPort] = /^(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? [];
  if (exceptionPort !== undefined && exceptionPort !== (port || PORTS[protocol])) return false;
  if (name === '*') return true;
  const domain = name.replace(/^\*?\./, '');
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

function withCredentials(address: unknown, { username, password }: Record<string, unknown>): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (typeof username === 'string' && username !== '') url.username = encodeURIComponent(username);
  if (typeof password === 'string' && password !== '') url.password = encodeURIComponent(password);
  return url.href;
}
