import net from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../service-error.js';
import { clientBaseUrl, type PublicAddress } from '../public-address.js';

/** Returns whether a page at a host can be the one of this service: a name in a DNS that others control cannot. */
function isPermittedHost(hostname: string, { publicUrl }: PublicAddress): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || net.isIP(name) !== 0) return true;
  return publicUrl !== undefined && name === new URL(publicUrl).hostname;
}

function isOwnOrigin(origin: string, request: FastifyRequest, address: PublicAddress): boolean {
  const own = [clientBaseUrl(request, {}), ...(address.publicUrl === undefined ? [] : [address.publicUrl])];
  return own.some((url) => URL.canParse(url) && new URL(url).origin === origin);
}

/**
 * Throws `ORIGIN_REFUSED` unless a request can only have been sent by the page of this service. Its `Host` is an IP address,
 * `localhost` or that of the public URL: any other name could have been made to resolve to this machine (DNS rebinding).
 * `Sec-Fetch-Site` is `same-origin`, with `allowsNavigation` also `none`, for a link that the user opens. Browsers omit it
 * for plain HTTP in a network: then a request that changes something needs the `Origin` of the service, and SameSite=Strict
 * protects the others.
 */
export function assertSameOrigin(request: FastifyRequest, address: PublicAddress, allowsNavigation = false): void {
  const { method, headers, hostname } = request;
  const refuse = (what: string): never => {
    const remedy = 'Open the page at an IP address, at localhost or at the address in --public-url';
    throw new ServiceError('ORIGIN_REFUSED', `The ${what} is not permitted for a session. ${remedy}.`);
  };
  if (!isPermittedHost(hostname, address)) refuse('header Host');
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin' && !(allowsNavigation && site === 'none')) refuse('header Sec-Fetch-Site');
    return;
  }
  if (method === 'GET' || method === 'HEAD') return;
  if (!isOwnOrigin(headers.origin ?? '', request, address)) refuse('header Origin');
}
