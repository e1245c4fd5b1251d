import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net, { type LookupFunction } from 'node:net';
import type { AddressFilter } from './address-filter.js';

/** Thrown if the address filter allows none of the addresses of a URL. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
}

/** Resolves a host name to addresses, like `dns.lookup`. */
export type Lookup = typeof dns.lookup;

/** The options of `postWithSsrfGuard`. */
export interface PostOptions {
  isAllowed: AddressFilter;
  signal: AbortSignal;
  timeoutMs: number;
  /** Additional headers. Default: none. */
  headers?: Record<string, string> | undefined;
  /** Resolves host names. Default: `dns.lookup`. */
  lookup?: Lookup | undefined;
}

/**
 * Creates the lookup of a connection. The checked address is the one that is connected to, which defeats DNS rebinding:
 * there is no second lookup that could differ.
 */
function createGuardedLookup(isAllowed: AddressFilter, lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, []);
        return;
      }
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) callback(new AddressNotAllowedError(`No address of ${hostname} is allowed.`), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * POSTs JSON to an http or https URL. Resolves with the status of the reply, and ignores its body. Guards against
 * server-side request forgery (SSRF): the address is checked at connect time, redirects are not followed, and no proxy
 * is used. Throws `AddressNotAllowedError`, or the error of the connection.
 */
export function postWithSsrfGuard(url: string, body: string, options: PostOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // Node does not call lookup for a literal address.
    if (net.isIP(host) && !options.isAllowed(host)) {
      reject(new AddressNotAllowedError(`The address ${host} is not allowed.`));
      return;
    }
    const { request } = target.protocol === 'https:' ? https : http;
    const clientRequest = request(target, {
      method: 'POST',
      agent: false,
      auth: undefined,
      lookup: createGuardedLookup(options.isAllowed, options.lookup ?? dns.lookup),
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'model-processing',
        ...options.headers,
      },
    });
    clientRequest.on('error', reject);
    clientRequest.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy(); // the body is not needed
    });
    clientRequest.end(body);
  });
}
