import type { FastifyRequest } from 'fastify';
import type { AddressFilter } from '../callbacks/address-filter.js';

/** How clients reach the service. */
export interface PublicAddress {
  /** Returns whether the headers `X-Forwarded-For`, `-Proto` and `-Host` of an address count. Default: of none. */
  isTrustedProxy?: AddressFilter | undefined;
  /** The URL of the service for clients, without a slash at the end. Default: as the request names it. */
  publicUrl?: string | undefined;
}

/**
 * Returns the base URL by which the client of a request reaches the service. The host and the protocol are those of the
 * request or, from a trusted proxy, of its `X-Forwarded-Host` and `X-Forwarded-Proto`.
 */
export function clientBaseUrl({ protocol, host }: FastifyRequest, { publicUrl }: PublicAddress): string {
  return publicUrl ?? `${protocol === 'https' ? 'https' : 'http'}://${host}`;
}

/** Returns the filter of trusted proxies for fastify, which also asks about connections that have closed: they have no address. */
export function createProxyFilter({ isTrustedProxy }: PublicAddress) {
  return (address: string | undefined): boolean => address !== undefined && (isTrustedProxy?.(address) ?? false);
}
