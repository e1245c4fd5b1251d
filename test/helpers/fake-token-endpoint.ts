import type { ServerResponse } from 'node:http';
import { send } from './fake-replies.js';
import type { RecordedRequest } from './fake-service.js';

interface FakeAccount {
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

/** The token endpoint of the fake service. Grants tokens for a password or for a refresh token that was not used yet. */
export class FakeTokenEndpoint {
  /** The refresh tokens of all token requests, in order. */
  readonly spentRefreshTokens: string[] = [];
  /** The `expires_in` of new tokens. */
  expiresIn: unknown = 900;
  readonly #account: FakeAccount;
  readonly #accessTokens = new Set<string>();
  readonly #refreshTokens = new Set<string>();
  #count = 0;

  constructor(account: FakeAccount) {
    this.#account = account;
  }

  /** Returns whether an `Authorization` header has a valid access token. */
  accepts(authorization = ''): boolean {
    return this.#accessTokens.has(authorization.replace('Bearer ', ''));
  }

  /** Revokes all access tokens. */
  revokeAll(): void {
    this.#accessTokens.clear();
  }

  /** Replies to a token request. */
  grant(request: RecordedRequest, reply: ServerResponse): void {
    const { clientId, clientSecret, username, password } = this.#account;
    const form = new URLSearchParams(request.body);
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    if (request.headers.authorization !== basic) {
      send(reply, 401, { error: 'invalid_client' }, { 'WWW-Authenticate': 'Basic' });
      return;
    }
    const refreshToken = form.get('refresh_token') ?? '';
    if (refreshToken) this.spentRefreshTokens.push(refreshToken);
    const isRefresh = form.get('grant_type') === 'refresh_token' && this.#refreshTokens.delete(refreshToken);
    const isPassword =
      form.get('grant_type') === 'password' && form.get('username') === username && form.get('password') === password;
    if (!isRefresh && !isPassword) {
      send(reply, 400, { error: 'invalid_grant', error_description: 'The user name or password is incorrect.' });
      return;
    }
    this.#count += 1;
    const accessToken = `access-token-${this.#count}`;
    const newRefreshToken = `refresh-token-${this.#count}`;
    this.#accessTokens.add(accessToken);
    this.#refreshTokens.add(newRefreshToken);
    send(reply, 200, {
      access_token: accessToken,
      token_type: 'bearer',
      expires_in: this.expiresIn,
      refresh_token: newRefreshToken,
      userName: 'opaque',
      'as:client_id': clientId,
      '.issued': 'Sat, 01 Jan 2000 00:00:00 GMT',
      '.expires': 'Sat, 01 Jan 2000 00:15:00 GMT',
    });
  }
}
