import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net, { type LookupFunction } from 'node:net';
import type { AddressFilter } from './address-filter.js';

/** Thrown where the rule allows none of the addresses that a URL leads to. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressRefused';
}

/** Turns a host name into addresses, as `dns.lookup` does. */
export type Lookup = typeof dns.lookup;

export interface PostOptions {
  allows: AddressFilter;
  signal: AbortSignal;
  timeoutMs: number;
  /** Default: none but those that say what the body is. */
  headers?: Record<string, string> | undefined;
  /** Default: the system's. */
  lookup?: Lookup | undefined;
}

/** The lookup that a connection uses: what it resolves to is what is connected to, so that no second answer can differ. */
function guardedLookup(allows: AddressFilter, lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, []);
        return;
      }
      const allowed = addresses.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (!first) callback(new AddressNotAllowedError(`no address of ${hostname} is allowed`), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * POSTs JSON to an http or https URL and answers the status of the reply, whose body is passed over. Redirects are not followed, and no
 * proxy is used. The address is checked when the connection is made. Throws `AddressNotAllowedError`, or what the connection failed with.
 */
export function postWithSsrfGuard(url: string, body: string, options: PostOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // A literal address is never looked up.
    if (net.isIP(host) && !options.allows(host)) {
      reject(new AddressNotAllowedError(`the address ${host} is not allowed`));
      return;
    }
    const { request } = target.protocol === 'https:' ? https : http;
    const sent = request(target, {
      method: 'POST',
      agent: false,
      auth: undefined,
      lookup: guardedLookup(options.allows, options.lookup ?? dns.lookup),
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'model-processing',
        ...options.headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy(); // the status is all we ask for
    });
    sent.end(body);
  });
}
