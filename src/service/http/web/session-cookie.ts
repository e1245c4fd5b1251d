import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PublicAddress } from '../public-address.js';

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' };

/** What a cookie of the page stands for: a session, or a browser in which a user has signed in. */
export type CookieKind = 'session' | 'device';

const SUFFIX: Readonly<Record<CookieKind, string>> = { session: '', device: '_device' };

/**
 * Returns the name of a cookie. It contains the port by which the browser reaches the service, because
 * cookies do not tell the ports of a host apart.
 */
function cookieName({ protocol, host }: FastifyRequest, kind: CookieKind): string {
  const port = /:(\d+)$/.exec(host)?.[1] ?? DEFAULT_PORTS[protocol] ?? '80';
  return `model_processing_${port}${SUFFIX[kind]}`;
}

/** Returns the secret in a cookie of a request, `undefined` if there is none. `kind`: default: `session`. */
export function readSessionCookie(request: FastifyRequest, kind: CookieKind = 'session'): string | undefined {
  const name = cookieName(request, kind);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split('=', 2).map((text) => text.trim());
    if (key === name && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/**
 * Returns whether the browser uses https: a trusted proxy says so, or the request is for the host of a public URL with
 * https. At other addresses of the service, the browser may use http, and would not keep a `Secure` cookie.
 */
function isSecure({ protocol, host }: FastifyRequest, { publicUrl }: PublicAddress): boolean {
  if (protocol === 'https') return true;
  if (publicUrl === undefined) return false;
  const url = new URL(publicUrl);
  return url.protocol === 'https:' && host.toLowerCase().replace(/:443$/, '') === url.host;
}

/** A cookie to set; `maxAgeMs` 0 deletes it. */
export interface SessionCookie {
  /** Default: `session`. */
  kind?: CookieKind;
  secret: string;
  maxAgeMs: number;
}

/** Sets a cookie, with `Secure` if the browser uses https. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  address: PublicAddress,
  { kind = 'session', secret, maxAgeMs }: SessionCookie,
): void {
  const parts = [
    ...[`${cookieName(request, kind)}=${secret}`, 'Path=/', `Max-Age=${Math.floor(maxAgeMs / 1000)}`],
    ...['HttpOnly', 'SameSite=Strict', ...(isSecure(request, address) ? ['Secure'] : [])],
  ];
  reply.header('set-cookie', parts.join('; '));
}
