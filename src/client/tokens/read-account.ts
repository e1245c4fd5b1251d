import type { Account } from '../types.js';

/**
 * Returns a validated account. Query, fragment and trailing slashes of its base URL are removed. Throws a `TypeError`
 * if a credential is missing, or if the base URL is not http or https or contains credentials.
 */
export function readAccount(account: Account): Account {
  const { baseUrl, clientId, clientSecret, username, password } = account;
  for (const value of [clientId, clientSecret, username, password]) {
    if (typeof value !== 'string')
      throw new TypeError('Invalid account: expected a client id, a client secret, a username and a password.');
  }
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('Invalid base URL: expected an http or https URL.');
  if (url.username || url.password) throw new TypeError('Invalid base URL: expected a URL without credentials.');
  const normalized = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return { baseUrl: normalized, clientId, clientSecret, username, password };
}
