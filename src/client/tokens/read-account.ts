import type { Account } from '../types.js';

/** The account with its base URL in plain form: http or https, no login, no query, no slash at its end. Else `TypeError`. */
export function readAccount(account: Account): Account {
  const { baseUrl, clientId, clientSecret, username, password } = account;
  for (const value of [clientId, clientSecret, username, password]) {
    if (typeof value !== 'string')
      throw new TypeError('The account needs a client id, a client secret, a user name and a password.');
  }
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('The base URL must be an http or https address.');
  if (url.username || url.password) throw new TypeError('The base URL must not hold a login.');
  const plain = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return { baseUrl: plain, clientId, clientSecret, username, password };
}
