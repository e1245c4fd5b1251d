import { randomUUID } from 'node:crypto';
import type { TokenProblem, TokenReply } from '../../api/index.js';
import type { Limits } from '../defaults.js';
import type { Accounts } from '../store/accounts.js';
import type { TokenRow } from '../store/schema.js';
import type { Tokens } from '../store/tokens.js';
import type { ClientCredentials } from './basic-auth.js';
import type { LoginCaller } from './login-checks.js';
import { createSecret, hashSecret, timingSafeEqualStrings } from './secrets.js';
import type { FindUserByPassword } from './user-by-password.js';

/** Thrown to refuse a grant, with an error code of RFC 6749, section 5.2. */
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
  findUserByPassword: FindUserByPassword;
  limits: Limits;
  now: () => number;
}

const REFUSED_USER = 'Incorrect username or password.';
const REFUSED_REFRESH =
  'The refresh token is unknown, expired or already used. Request a token with username and password.';

/** Returns a form field that must occur exactly once. Throws `GrantError`. */
function readField(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (more.length > 0) throw new GrantError('invalid_request', `Invalid form: ${name} occurs more than once.`);
  if (!value) throw new GrantError('invalid_request', `Missing form field ${name}.`);
  return value;
}

/** Tokens to store, and the reply that contains them. */
interface IssuedTokens {
  rows: TokenRow[];
  reply: TokenReply;
}

/** Where a token request comes from, as in `LoginCaller`. */
export type GrantOrigin = Pick<LoginCaller, 'network' | 'signal'>;

/**
 * Creates the functions that issue and revoke tokens for a form and the client of its Basic header. They throw
 * `GrantError` and the errors of `LoginChecks`. Client secrets and refresh tokens have 256 random bits, which nobody
 * guesses: their checks are never delayed. Each password grant starts a family of tokens, and each refresh token is
 * replaced on use (refresh token rotation, RFC 9700, section 4.14.2).
 */
export function createGrants({ accounts, tokens, findUserByPassword, limits, now }: GrantDependencies) {
  const findClient = async (pairs: ClientCredentials[]): Promise<string> => {
    for (const { id, secret } of pairs) {
      const client = await accounts.findClient(id);
      if (timingSafeEqualStrings(hashSecret(secret), client?.secret_hash ?? '')) return id;
    }
    throw new GrantError('invalid_client', 'Unknown client id or wrong client secret.');
  };

  const createTokens = (userId: string, clientId: string, family: string): IssuedTokens => {
    const issuedAt = now();
    const [access, refresh] = [createSecret(), createSecret()];
    const accessExpiry = issuedAt + limits.accessTokenMs;
    const common = {
      family,
      user_id: userId,
      client_id: clientId,
      created_at: issuedAt,
      used_at: null,
      revoked_at: null,
    };
    const rows: TokenRow[] = [
      { ...common, hash: hashSecret(access), kind: 'access', expires_at: accessExpiry },
      { ...common, hash: hashSecret(refresh), kind: 'refresh', expires_at: issuedAt + limits.refreshTokenMs },
    ];
    const reply: TokenReply = {
      access_token: access,
      token_type: 'bearer',
      expires_in: Math.floor(limits.accessTokenMs / 1000),
      refresh_token: refresh,
      userName: userId,
      'as:client_id': clientId,
      '.issued': new Date(issuedAt).toUTCString(),
      '.expires': new Date(accessExpiry).toUTCString(),
    };
    return { rows, reply };
  };

  const grantByPassword = async (form: URLSearchParams, clientId: string, origin: GrantOrigin): Promise<TokenReply> => {
    const [username, password] = [readField(form, 'username'), readField(form, 'password')];
    const user = await findUserByPassword({ ...origin, clientId, username }, password);
    if (!user) throw new GrantError('invalid_grant', REFUSED_USER);
    const { rows, reply } = createTokens(user.id, clientId, randomUUID());
    await tokens.add(rows);
    return reply;
  };

  const grantByRefreshToken = async (form: URLSearchParams, clientId: string): Promise<TokenReply> => {
    const refreshToken = readField(form, 'refresh_token');
    let issued: IssuedTokens | undefined;
    await tokens.redeem(hashSecret(refreshToken), clientId, now(), ({ user_id: userId, family }) => {
      issued = createTokens(userId, clientId, family);
      return issued.rows;
    });
    if (!issued) throw new GrantError('invalid_grant', REFUSED_REFRESH);
    return issued.reply;
  };

  return {
    /** Issues tokens. */
    issue: async (pairs: ClientCredentials[], form: URLSearchParams, origin: GrantOrigin): Promise<TokenReply> => {
      const clientId = await findClient(pairs);
      const grantType = readField(form, 'grant_type');
      if (grantType === 'password') return grantByPassword(form, clientId, origin);
      if (grantType === 'refresh_token') return grantByRefreshToken(form, clientId);
      throw new GrantError('unsupported_grant_type', 'Invalid grant_type: expected password or refresh_token.');
    },

    /** Revokes a token of the client, with all that descend from the same password grant (RFC 7009). */
    revoke: async (pairs: ClientCredentials[], form: URLSearchParams): Promise<void> => {
      const clientId = await findClient(pairs);
      const isOwn = await tokens.revoke(hashSecret(readField(form, 'token')), clientId);
      if (!isOwn) throw new GrantError('invalid_grant', 'The token was issued to another client.');
    },
  };
}

export type Grants = ReturnType<typeof createGrants>;
