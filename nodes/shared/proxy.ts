import type { ClientProxy } from '../../src/client/client-options.js';

const PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/**
 * Which proxy serves an address. Node-RED's own http proxy node, where one is chosen; else the environment, as the core http request
 * node takes it: HTTPS_PROXY and HTTP_PROXY by the address's scheme, ALL_PROXY for both, NO_PROXY for the exceptions.
 */
export const readProxy = (proxyNode: object | null | undefined, environment = process.env): ClientProxy => {
  const variable = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  if (!proxyNode)
    return (url) => {
      const { protocol } = new URL(url);
      const exceptions = (variable('NO_PROXY') ?? '').split(/[\s,]+/).filter((exception) => exception !== '');
      if (exceptions.some((exception) => isException(new URL(url), exception))) return undefined;
      return variable(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? variable('ALL_PROXY');
    };
  const { url: address, noproxy, credentials } = Object(proxyNode);
  const exceptions: string[] = Array.isArray(noproxy)
    ? noproxy.filter((part) => typeof part === 'string' && part !== '')
    : [];
  const proxy = withCredentials(address, Object(credentials));
  // That node's exceptions are parts of addresses.
  return (url) => (exceptions.some((part) => url.includes(part)) ? undefined : proxy);
};

const isException = ({ protocol, hostname, port }: URL, exception: string): boolean => {
  const [, name = '', exceptPort] = /^(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? [];
  if (exceptPort !== undefined && exceptPort !== (port || PORTS[protocol])) return false;
  if (name === '*') return true;
  const bare = name.replace(/^\*?\./, '');
  return hostname === bare || hostname.endsWith(`.${bare}`);
};

const withCredentials = (address: unknown, { username, password }: Record<string, unknown>): string | undefined => {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (typeof username === 'string' && username !== '') url.username = encodeURIComponent(username);
  if (typeof password === 'string' && password !== '') url.password = encodeURIComponent(password);
  return url.href;
};
