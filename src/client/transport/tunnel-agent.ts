import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { ClientTls } from '../client-options.js';
import { AttemptFailure } from './attempt-failure.js';

/** What a proxy answers while the host behind it is away. */
const UNREACHABLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** What the agent itself needs; the rest are the options of `https.Agent`. */
export interface TunnelOptions {
  proxyUrl: URL;
  connectTimeoutMs: number;
  maxSockets: number;
  keepAlive: boolean;
  tls: ClientTls;
}

/**
 * Connections to https services through a proxy's CONNECT (RFC 9110, section 9.3.6): the proxy sees the service's host and
 * port, nothing else. Unlike the agent that axios would take, it keeps connections open and counts them.
 */
export class TunnelAgent extends https.Agent {
  readonly #options: TunnelOptions;

  constructor(options: TunnelOptions) {
    super({ ...options.tls, keepAlive: options.keepAlive, maxSockets: options.maxSockets, scheduling: 'lifo' });
    this.#options = options;
  }

  override createConnection(
    target: https.RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const request = this.#connect(target);
    // Node calls back with an error or a stream, its types ask for both.
    const answer = callback as (error: Error | null, stream?: Duplex) => void;
    request.setTimeout(this.#options.connectTimeoutMs, () => {
      request.destroy(new AttemptFailure('unsent', 'TIMEOUT', 'the proxy did not answer'));
    });
    request.once('error', (error) => answer(proxyFailure(error)));
    request.once('connect', (reply, socket) => {
      if (reply.statusCode === 200) {
        socket.setTimeout(0);
        answer(null, tls.connect({ ...this.#tlsOptions(target), socket }));
        return;
      }
      socket.destroy();
      const { statusCode = 0 } = reply;
      const words = statusCode === 407 ? 'wants another login (407)' : `refused with ${statusCode}`;
      const kind = UNREACHABLE.has(statusCode) ? 'unsent' : 'final';
      answer(new AttemptFailure(kind, 'CONNECTION_FAILED', `the proxy ${words}`, { statusCode }));
    });
    request.end();
  }

  #connect(target: https.RequestOptions): http.ClientRequest {
    const { proxyUrl } = this.#options;
    const host = target.host ?? '';
    const authority = `${host.includes(':') ? `[${host}]` : host}:${target.port ?? 443}`;
    const headers: Record<string, string> = { Host: authority };
    const login = proxyCredentials(proxyUrl);
    if (login) headers['Proxy-Authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
    return (proxyUrl.protocol === 'https:' ? https : http).request({
      host: proxyUrl.hostname.replace(/^\[|\]$/g, ''),
      port: proxyUrl.port || (proxyUrl.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
    });
  }

  #tlsOptions(target: https.RequestOptions): tls.ConnectionOptions {
    const { ca, cert, key, pfx, passphrase, rejectUnauthorized } = this.#options.tls;
    const servername = this.#options.tls.servername ?? target.servername ?? target.host ?? '';
    return { ca, cert, key, pfx, passphrase, servername, ...(rejectUnauthorized === false && { rejectUnauthorized }) };
  }
}

/** `user:password` as it stands in a proxy's URL, decoded. */
export function proxyCredentials(proxyUrl: URL): string | undefined {
  if (!proxyUrl.username) return undefined;
  return `${decodeURIComponent(proxyUrl.username)}:${decodeURIComponent(proxyUrl.password)}`;
}

function proxyFailure(error: Error & { code?: string }): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  return new AttemptFailure(
    'unsent',
    'CONNECTION_FAILED',
    `the proxy could not be reached (${error.code ?? 'no reason'})`,
  );
}
