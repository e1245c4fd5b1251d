import http from 'node:http';
import https from 'node:https';
import type { AxiosProxyConfig } from 'axios';
import { ClientError } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import type { ClientProxy, ClientTls } from '../client-options.js';
import { proxyCredentials, TunnelAgent } from './tunnel-agent.js';

/**
 * Control calls, polls and transfers have connections of their own, which are kept open. A start has one that is new and for it alone: of a kept
 * one that breaks nobody could tell whether the service had just given it up, or took the start.
 */
export type ConnectionLane = 'control' | 'poll' | 'bulk' | 'start';

/** What axios is told about the way to one address. */
export interface Route {
  httpAgent?: http.Agent;
  httpsAgent?: https.Agent;
  proxy: AxiosProxyConfig | false;
}

/** Keeps the connections of one client, by lane, direct or through proxies. */
export class AgentPool {
  readonly #limits: ClientLimits;
  readonly #tls: ClientTls;
  readonly #proxy: ClientProxy | undefined;
  // One agent per lane, protocol and proxy: a client speaks with one service, so they stay few.
  readonly #agents = new Map<string, http.Agent>();
  readonly #tunnels = new Map<string, TunnelAgent>();

  constructor(limits: ClientLimits, tls: ClientTls = {}, proxy?: ClientProxy) {
    this.#limits = limits;
    this.#tls = tls;
    this.#proxy = proxy;
  }

  /** The way to an address. `NOT_CONFIGURED` for a proxy whose URL cannot be read. */
  to(url: URL, lane: ConnectionLane): Route {
    const proxyUrl = this.#proxyOf(url);
    if (url.protocol === 'https:') {
      return { httpsAgent: proxyUrl ? this.#tunnel(proxyUrl, lane) : this.#httpsAgent(lane), proxy: false };
    }
    return { httpAgent: this.#httpAgent(lane), proxy: proxyUrl ? forwardProxy(proxyUrl) : false };
  }

  /** Ends every connection. */
  close(): void {
    for (const agent of [...this.#agents.values(), ...this.#tunnels.values()]) agent.destroy();
  }

  #proxyOf(url: URL): URL | undefined {
    if (isLoopback(url.hostname)) return undefined;
    const text = typeof this.#proxy === 'function' ? this.#proxy(url.href) : this.#proxy;
    if (!text) return undefined;
    const proxyUrl = URL.canParse(text) ? new URL(text) : undefined;
    if (!proxyUrl || !/^https?:$/.test(proxyUrl.protocol)) throw invalidProxyUrl();
    return proxyUrl;
  }

  #agentOptions(lane: ConnectionLane): http.AgentOptions {
    return { keepAlive: isKept(lane), maxSockets: this.#maxSockets(lane), scheduling: 'lifo' };
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
      const [maxSockets, keepAlive, tls] = [this.#maxSockets(lane), isKept(lane), this.#tls];
      return new TunnelAgent({ proxyUrl, connectTimeoutMs, maxSockets, keepAlive, tls });
    });
  }
}

/** Is this host the machine itself? Such addresses never go through a proxy. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return /^(localhost|.*\.localhost|127(\.\d+){3}|::1|::ffff:(127\.[\d.]+|7f[0-9a-f]{2}:[0-9a-f]+))$/.test(host);
}

function getOrCreate<T, U extends T>(map: Map<string, T>, key: string, create: () => U): U {
  const existing = map.get(key);
  // A key names what was created for it, so what stands there is what `create` makes.
  if (existing !== undefined) return existing as U;
  const created = create();
  map.set(key, created);
  return created;
}

function isKept(lane: ConnectionLane): boolean {
  return lane !== 'start';
}

function invalidProxyUrl(): ClientError {
  return new ClientError('NOT_CONFIGURED', 'The address of the proxy is no http or https URL.');
}

function forwardProxy(proxyUrl: URL): AxiosProxyConfig {
  const login = proxyCredentials(proxyUrl);
  const [username = '', ...password] = login?.split(':') ?? [];
  return {
    protocol: proxyUrl.protocol,
    host: proxyUrl.hostname,
    port: Number(proxyUrl.port || (proxyUrl.protocol === 'https:' ? 443 : 80)),
    ...(login && { auth: { username, password: password.join(':') } }),
  };
}

function definedOnly(tls: ClientTls): ClientTls {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}
