import http from 'node:http';
import https from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import type { ClientProxy, ClientTls } from '../client-options.js';
import { proxyCredentials, TunnelAgent } from './tunnel-agent.js';

/**
 * The kinds of requests that have separate connections. Control calls, polls and transfers use keep-alive connections.
 * Each start uses a new connection: if a keep-alive connection closes, the client cannot determine whether the service
 * closed it while it was idle or received the start.
 */
export type ConnectionLane = 'control' | 'poll' | 'bulk' | 'start';

/** The options of axios that select agent and proxy for one URL. */
export interface Route {
  httpAgent?: http.Agent;
  httpsAgent?: https.Agent;
  proxy: AxiosProxyConfig | false;
}

/** Owns the connections of one client, by lane, direct or through proxies. */
export class AgentPool {
  readonly #limits: ClientLimits;
  readonly #tls: ClientTls;
  readonly #proxy: ClientProxy | undefined;
  // One agent per lane, protocol and proxy. A client uses one service, so the maps stay small.
  readonly #agents = new Map<string, http.Agent>();
  readonly #tunnels = new Map<string, TunnelAgent>();

  constructor(limits: ClientLimits, tls: ClientTls = {}, proxy?: ClientProxy) {
    this.#limits = limits;
    this.#tls = tls;
    this.#proxy = proxy;
  }

  /** Returns agent and proxy for a URL. Throws `NOT_CONFIGURED` if the URL of the proxy is invalid. */
  selectRoute(url: URL, lane: ConnectionLane): Route {
    const proxyUrl = this.#findProxy(url);
    if (url.protocol === 'https:') {
      return { httpsAgent: proxyUrl ? this.#tunnel(proxyUrl, lane) : this.#httpsAgent(lane), proxy: false };
    }
    return { httpAgent: this.#httpAgent(lane), proxy: proxyUrl ? forwardProxy(proxyUrl) : false };
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of [...this.#agents.values(), ...this.#tunnels.values()]) agent.destroy();
  }

  #findProxy(url: URL): URL | undefined {
    if (isLoopback(url.hostname)) return undefined;
    const text = typeof this.#proxy === 'function' ? this.#proxy(url.href) : this.#proxy;
    if (!text) return undefined;
    const proxyUrl = URL.canParse(text) ? new URL(text) : undefined;
    if (!proxyUrl || !/^https?:$/.test(proxyUrl.protocol)) throw invalidProxyUrl();
    return proxyUrl;
  }

  #agentOptions(lane: ConnectionLane): http.AgentOptions {
    return { keepAlive: isKeepAlive(lane), maxSockets: this.#maxSockets(lane), scheduling: 'lifo' };
  }

  #maxSockets(lane: ConnectionLane): number {
    const { bulkSockets, pollSockets, controlSockets } = this.#limits;
    return lane === 'bulk' ? bulkSockets : lane === 'poll' ? pollSockets : controlSockets;
  }

  #httpAgent(lane: ConnectionLane): http.Agent {
    return getOrCreate(this.#agents, `http ${lane}`, () => new http.Agent(this.#agentOptions(lane)));
  }

  #httpsAgent(lane: ConnectionLane): https.Agent {
    const create = () => new https.Agent({ ...definedOnly(this.#tls), ...this.#agentOptions(lane) });
    return getOrCreate(this.#agents, `https ${lane}`, create);
  }

  #tunnel(proxyUrl: URL, lane: ConnectionLane): TunnelAgent {
    const { connectTimeoutMs } = this.#limits;
    return getOrCreate(this.#tunnels, `${lane} ${proxyUrl.href}`, () => {
      const [maxSockets, keepAlive, tls] = [this.#maxSockets(lane), isKeepAlive(lane), this.#tls];
      return new TunnelAgent({ proxyUrl, connectTimeoutMs, maxSockets, keepAlive, tls });
    });
  }
}

/**
 * Returns whether a host name or IP address is a loopback one (RFC 6761, RFC 1122, RFC 4291). Those are never proxied.
 */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return /^(localhost|.*\.localhost|127(\.\d+){3}|::1|::ffff:(127\.[\d.]+|7f[0-9a-f]{2}:[0-9a-f]+))$/.test(host);
}

function getOrCreate<T, U extends T>(map: Map<string, T>, key: string, create: () => U): U {
  const existing = map.get(key);
  // The key determines the type: the same key is always used with the same `create`.
  if (existing !== undefined) return existing as U;
  const created = create();
  map.set(key, created);
  return created;
}

function isKeepAlive(lane: ConnectionLane): boolean {
  return lane !== 'start';
}

function invalidProxyUrl(): ClientError {
  return new ClientError('NOT_CONFIGURED', 'Invalid proxy URL: expected an http or https URL.');
}

function forwardProxy(proxyUrl: URL): AxiosProxyConfig {
  const credentials = proxyCredentials(proxyUrl);
  const [username = '', ...password] = credentials?.split(':') ?? [];
  return {
    protocol: proxyUrl.protocol,
    host: proxyUrl.hostname,
    port: Number(proxyUrl.port || (proxyUrl.protocol === 'https:' ? 443 : 80)),
    ...(credentials && { auth: { username, password: password.join(':') } }),
  };
}

function definedOnly(tls: ClientTls): ClientTls {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}
