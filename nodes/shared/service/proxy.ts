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

/** The settings of Node-RED for the proxy variables: `proxyOptions` in settings.js, and `NR_PROXY_MODE`. */
interface VariableOptions {
  mode: unknown;
  lowerCaseOnly: unknown;
  favourUpperCase: unknown;
  excludeNpm: unknown;
  env: Variables;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function that maps an address to the URL of its proxy, or to `undefined` for a direct connection. Uses the
 * selected proxy if there is one. Otherwise it uses the environment exactly like the core http request node of Node-RED
 * (`proxyHelper.js`, which derives from proxy-from-env): the first of `npm_config_https_proxy`, `https_proxy`,
 * `npm_config_proxy` and `all_proxy` for an https address, with the exceptions of `npm_config_no_proxy` or `no_proxy`.
 * Lowercase names take precedence. `proxyOptions`: that of settings.js.
 */
export function createProxyResolver(
  chosen: ChosenProxy | undefined,
  environment: Variables = process.env,
  proxyOptions: unknown = undefined,
): ClientProxy {
  if (chosen) return (url) => (chosen.exceptions.some((part) => url.includes(part)) ? undefined : chosen.url);
  const options = readVariableOptions(environment, proxyOptions);
  return (url) => (options.mode === 'legacy' ? findLegacyProxy(url, options.env) : findProxy(new URL(url), options));
}

function readVariableOptions(environment: Variables, proxyOptions: unknown): VariableOptions {
  const { mode, lowerCaseOnly, favourUpperCase, excludeNpm, env } = Object(proxyOptions);
  const override = process.env.nr_proxy_mode || process.env.NR_PROXY_MODE;
  const isOverridden = override === 'legacy' || override === 'strict';
  return { mode: isOverridden ? override : mode, lowerCaseOnly, favourUpperCase, excludeNpm, env: env ?? environment };
}

function findProxy({ protocol, hostname, port }: URL, options: VariableOptions): string | undefined {
  const scheme = protocol.slice(0, -1);
  const exceptions = readVariable('npm_config_no_proxy', options) || readVariable('no_proxy', options);
  if (matchesNoProxy(exceptions.toLowerCase(), hostname, port || PORTS[protocol])) return undefined;
  const proxyUrl = [`npm_config_${scheme}_proxy`, `${scheme}_proxy`, 'npm_config_proxy', 'all_proxy']
    .map((name) => readVariable(name, options))
    .find((value) => value !== '');
  return proxyUrl?.includes('://') === false ? `${scheme}://${proxyUrl}` : proxyUrl;
}

function readVariable(name: string, { env, lowerCaseOnly, favourUpperCase, excludeNpm }: VariableOptions): string {
  if (excludeNpm === true && name.startsWith('npm_config_')) return '';
  const [lower, upper] = [env[name], env[name.toUpperCase()]];
  if (lowerCaseOnly === true) return lower || '';
  return (favourUpperCase === true ? upper || lower : lower || upper) || '';
}

// Without a wildcard, an exception is exactly this host: `example.com` does not include its subdomains.
function matchesNoProxy(exceptions: string, hostname: string, port: string | undefined): boolean {
  if (exceptions === '*') return true;
  return exceptions.split(/[,\s]/).some((exception) => {
    if (exception === '') return false;
    const [, name = exception, exceptionPort] = /^(.+):(\d+)$/.exec(exception) ?? [];
    if (exceptionPort !== undefined && Number(exceptionPort) !== 0 && Number(exceptionPort) !== Number(port))
      return false;
    return /^[.*]/.test(name) ? hostname.endsWith(name.replace(/^\*/, '')) : hostname === name;
  });
}

// As Node-RED before 3.1: one proxy for all addresses, and exceptions that are any part of the address.
function findLegacyProxy(url: string, env: Variables): string | undefined {
  const exceptions = env.NO_PROXY || env.no_proxy;
  if (exceptions?.split(',').some((part) => url.includes(part.trim()))) return undefined;
  return env.HTTP_PROXY || env.http_proxy || undefined;
}

function withCredentials(address: unknown, { username, password }: Record<string, unknown>): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (typeof username === 'string' && username !== '') url.username = encodeURIComponent(username);
  if (typeof password === 'string' && password !== '') url.password = encodeURIComponent(password);
  return url.href;
}
