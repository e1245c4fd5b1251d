import type { ClientProxy } from '../../../src/client/client-options.js';

const PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** A proxy that was chosen in the editor: its URL, and parts of addresses that go without it. */
export interface ChosenProxy {
  url: string | undefined;
  exceptions: string[];
}

/** Reads Node-RED's own http proxy node. `undefined` where none was chosen. */
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
 * Which proxy serves an address: the chosen one; else the environment's, as the core http request node takes it: HTTPS_PROXY and
 * HTTP_PROXY by the address's scheme, ALL_PROXY for both, NO_PROXY for the exceptions.
 */
export function createProxyResolver(chosen: ChosenProxy | undefined, environment = process.env): ClientProxy {
  if (chosen) return (url) => (chosen.exceptions.some((part) => url.includes(part)) ? undefined : chosen.url);
  const variable = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  return (url) => {
    const { protocol } = new URL(url);
    const exceptions = (variable('NO_PROXY') ?? '').split(/[\s,]+/).filter((exception) => exception !== '');
    if (exceptions.some((exception) => matchesNoProxy(new URL(url), exception))) return undefined;
    const named = variable(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? variable('ALL_PROXY');
    return named?.includes('://') === false ? `http://${named}` : named;
  };
}

function matchesNoProxy({ protocol, hostname, port }: URL, exception: string): boolean {
  const [, name = '', exceptPort] = /^(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? [];
  if (exceptPort !== undefined && exceptPort !== (port || PORTS[protocol])) return false;
  if (name === '*') return true;
  const bare = name.replace(/^\*?\./, '');
  return hostname === bare || hostname.endsWith(`.${bare}`);
}

function withCredentials(address: unknown, { username, password }: Record<string, unknown>): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (typeof username === 'string' && username !== '') url.username = encodeURIComponent(username);
  if (typeof password === 'string' && password !== '') url.password = encodeURIComponent(password);
  return url.href;
}
