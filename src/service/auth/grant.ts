import { randomUUID } from 'node:crypto';
import type { TokenProblem, TokenReply } from '../../api/index.js';
import type { Limits } from '../defaults.js';
import type { Accounts } from '../store/accounts.js';
import type { Tokens } from '../store/tokens.js';
import type { ClientCredentials } from './basic-auth.js';
import type { PasswordCheck } from './passwords.js';
import { createSecret, hashSecret, timingSafeEqualStrings } from './secrets.js';

/** Thrown to refuse a grant, as RFC 6749, section 5.2 has it. */
export class GrantError extends Error {
  override readonly name = 'GrantError';
  readonly code: TokenProblem['error'];

  constructor(code: TokenProblem['error'], message: string) {
    super(message);
    this.code = code;
  }
}

export interface GrantDependencies {
  accounts: Accounts;
  tokens: Tokens;
  checkPassword: PasswordCheck;
  limits: Limits;
  now: () => number;
}

const REFUSED_USER = 'the user name or the password is wrong';
const REFUSED_REFRESH = 'the refresh token is unknown, expired or was used before: ask with user name and password';

/** A field of the form that must stand there once. */
function readField(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (more.length > 0) throw new GrantError('invalid_request', `${name} stands in the form more than once`);
  if (!value) throw new GrantError('invalid_request', `${name} is missing in the form`);
  return value;
}

/** Gives tokens for a form of `POST /Token` and the client that its Basic header names. Throws `GrantError`. */
export function createGrants({ accounts, tokens, checkPassword, limits, now }: GrantDependencies) {
  const findClient = async (pairs: ClientCredentials[]): Promise<string> => {
    for (const { id, secret } of pairs) {
      const client = await accounts.findClient(id);
      if (timingSafeEqualStrings(hashSecret(secret), client?.secret_hash ?? '')) return id;
    }
    throw new GrantError('invalid_client', 'the client id or the client secret is wrong');
  };

  const issue = async (userId: string, clientId: string, family: string): Promise<TokenReply> => {
    const offset = now();
    const [access, refresh] = [createSecret(), createSecret()];
    const accessExpiry = offset + limits.accessTokenMs;
    const common = {
      family,
      user_id: userId,
      client_id: clientId,
      created_at: offset,
      used_at: null,
      revoked_at: null,
    };
    await tokens.add([
      { ...common, hash: hashSecret(access), kind: 'access', expires_at: accessExpiry },
      { ...common, hash: hashSecret(refresh), kind: 'refresh', expires_at: offset + limits.refreshTokenMs },
    ]);
    return {
      access_token: access,
      token_type: 'bearer',
      expires_in: Math.floor(limits.accessTokenMs / 1000),
      refresh_token: refresh,
      userName: userId,
      'as:client_id': clientId,
      '.issued': new Date(offset).toUTCString(),
      '.expires': new Date(accessExpiry).toUTCString(),
    };
  };

  const byPassword = async (form: URLSearchParams, clientId: string): Promise<TokenReply> => {
    const user = await accounts.findUser(readField(form, 'username'));
    const isCorrect = await checkPassword(readField(form, 'password'), user?.password_hash);
    if (!user || !isCorrect) throw new GrantError('invalid_grant', REFUSED_USER);
    return issue(user.id, clientId, randomUUID());
  };

  const byRefreshToken = async (form: URLSearchParams, clientId: string): Promise<TokenReply> => {
    const shown = readField(form, 'refresh_token');
    const redemption = await tokens.redeem(hashSecret(shown), clientId, now());
    if (redemption.outcome !== 'used') throw new GrantError('invalid_grant', REFUSED_REFRESH);
    return issue(redemption.token.user_id, clientId, redemption.token.family);
  };

  return async (pairs: ClientCredentials[], form: URLSearchParams): Promise<TokenReply> => {
    const clientId = await findClient(pairs);
    const grantType = readField(form, 'grant_type');
    if (grantType === 'password') return byPassword(form, clientId);
    if (grantType === 'refresh_token') return byRefreshToken(form, clientId);
    throw new GrantError('unsupported_grant_type', 'grant_type is neither password nor refresh_token');
  };
}

export type Grants = ReturnType<typeof createGrants>;
