import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { ClientTls } from '../client-options.js';
import { AttemptFailure } from './attempt-failure.js';

/** The statuses of a proxy that cannot reach the host. */
const UNREACHABLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** The options of a `TunnelAgent`. `tls` applies to the connection to the service, not to the proxy. */
export interface TunnelOptions {
  proxyUrl: URL;
  connectTimeoutMs: number;
  maxSockets: number;
  keepAlive: boolean;
  tls: ClientTls;
}

/**
 * Connects to https services through a proxy with CONNECT (RFC 9110, section 9.3.6). The proxy sees only host and port
 * of the service. Unlike the proxy support of axios, it reuses connections and limits their number.
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
    // Node.js calls back with an error or a stream; its types require both.
    const finish = callback as (error: Error | null, stream?: Duplex) => void;
    request.setTimeout(this.#options.connectTimeoutMs, () => {
      request.destroy(new AttemptFailure('unsent', 'TIMEOUT', 'the proxy did not reply in time'));
    });
    request.once('error', (error) => finish(toProxyFailure(error)));
    request.once('connect', (reply, socket) => {
      if (reply.statusCode === 200) {
        socket.setTimeout(0);
        finish(null, tls.connect({ ...this.#tlsOptions(target), socket }));
        return;
      }
      socket.destroy();
      const { statusCode = 0 } = reply;
      const reason = statusCode === 407 ? 'requires valid credentials (407)' : `refused the connection (${statusCode})`;
      const kind = UNREACHABLE.has(statusCode) ? 'unsent' : 'final';
      finish(new AttemptFailure(kind, 'CONNECTION_FAILED', `the proxy ${reason}`, { statusCode }));
    });
    request.end();
  }

  #connect(target: https.RequestOptions): http.ClientRequest {
    const { proxyUrl } = this.#options;
    const host = target.host ?? '';
    const authority = `${host.includes(':') ? `[${host}]` : host}:${target.port ?? 443}`;
    const headers: Record<string, string> = { Host: authority };
    const credentials = proxyCredentials(proxyUrl);
    if (credentials) headers['Proxy-Authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
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

/** Returns the decoded credentials of a proxy URL as `username:password`. Undefined if it has no username. */
export function proxyCredentials(proxyUrl: URL): string | undefined {
  if (!proxyUrl.username) return undefined;
  return `${decodeURIComponent(proxyUrl.username)}:${decodeURIComponent(proxyUrl.password)}`;
}

function toProxyFailure(error: Error & { code?: string }): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  return new AttemptFailure(
    'unsent',
    'CONNECTION_FAILED',
    `the proxy could not be reached (${error.code ?? 'unknown'})`,
  );
}
