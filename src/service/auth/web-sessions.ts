import type { Limits } from '../defaults.js';
import { ServiceError } from '../service-error.js';
import type { Accounts } from '../store/accounts.js';
import type { UserRow } from '../store/schema.js';
import type { Sessions, SessionUser } from '../store/sessions.js';
import type { SessionRow } from '../store/sign-in-rows.js';
import { type LoginCaller, TooManyLoginsError } from './login-checks.js';
import { hashPassword, type PasswordCost } from './passwords.js';
import { createSecret, hashSecret } from './secrets.js';
import type { FindUserByPassword } from './user-by-password.js';

/** The dependencies of sessions. */
export interface WebSessionDependencies {
  accounts: Accounts;
  sessions: Sessions;
  findUserByPassword: FindUserByPassword;
  /** The cost of new passwords. Default: that of `hashPassword`. */
  passwordCost?: PasswordCost | undefined;
  limits: Pick<Limits, 'sessionMs' | 'maxSessionMs' | 'signInCodeMs' | 'deviceMs' | 'maxDevicesPerUser'>;
  now: () => number;
}

// A session that is used all the time is written this often in its duration.
const RENEWALS = 72;

// The page is no client. No client can have this id.
const PAGE_CLIENT = '';

/** Who signs in to the page. */
export type PageCaller = Omit<LoginCaller, 'clientId' | 'device'>;

/** The secrets that a browser gets when its user signs in. */
export interface SignedIn {
  /** That of the session. */
  secret: string;
  /** That of the browser, by which its next sign-in does not wait for those of others. */
  device: string;
}

/**
 * Creates the sessions of the page of the service: a random secret in a cookie stands for a user, until it was not used for
 * `sessionMs`, began before `maxSessionMs`, or the user gets another password.
 */
export function createWebSessions(dependencies: WebSessionDependencies) {
  const { accounts, sessions, findUserByPassword, passwordCost, limits, now } = dependencies;

  const createGrant = (kind: SessionRow['kind'], durationMs: number) => {
    const secret = createSecret();
    const expires_at = now() + durationMs;
    const ends_at = kind === 'session' ? now() + limits.maxSessionMs : null;
    return { secret, grant: { hash: hashSecret(secret), kind, expires_at, ends_at } };
  };

  const createRow = (user: UserRow, kind: SessionRow['kind'], durationMs: number) => {
    const { secret, grant } = createGrant(kind, durationMs);
    return { secret, row: { ...grant, user_id: user.id, password_hash: user.password_hash } };
  };

  const checkPassword = (caller: Omit<LoginCaller, 'clientId'>, password: string): Promise<UserRow | undefined> =>
    findUserByPassword({ ...caller, clientId: PAGE_CLIENT }, password).catch((error: unknown) => {
      if (!(error instanceof TooManyLoginsError)) throw error;
      throw new ServiceError('TOO_MANY_SIGN_INS', error.message, { retryAfterS: error.retryAfterSeconds });
    });

  const addSession = async (user: UserRow): Promise<string> => {
    const { secret, row } = createRow(user, 'session', limits.sessionMs);
    await sessions.add(row, now());
    return secret;
  };

  const addDevice = async (user: UserRow): Promise<string> => {
    const { secret, row } = createRow(user, 'device', limits.deviceMs);
    await sessions.add(row, now());
    await sessions.limitDevices(user.id, limits.maxDevicesPerUser);
    return secret;
  };

  return {
    /**
     * Starts a session with a password. `device`: the secret of the browser, if it has one. Resolves with the secrets of
     * the session and of the browser. Throws `SIGN_IN_REFUSED` or `TOO_MANY_SIGN_INS`.
     */
    signIn: async (caller: PageCaller, password: string, device?: string): Promise<SignedIn> => {
      const deviceHash = device === undefined ? undefined : hashSecret(device);
      const isKnown = deviceHash !== undefined && (await sessions.isDeviceOf(deviceHash, caller.username, now()));
      const user = await checkPassword({ ...caller, ...(isKnown && { device: deviceHash }) }, password);
      if (!user) throw new ServiceError('SIGN_IN_REFUSED', 'Incorrect user name or password.');
      const secret = await addSession(user);
      return { secret, device: isKnown && device !== undefined ? device : await addDevice(user) };
    },

    /** Starts a session with a one-time code. Resolves with its secret. Throws `CODE_INVALID`. */
    redeem: async (code: string): Promise<string> => {
      const { secret, grant } = createGrant('session', limits.sessionMs);
      if (await sessions.redeemCode(hashSecret(code), grant, now())) return secret;
      const remedy = 'Sign in with user name and password.';
      throw new ServiceError('CODE_INVALID', `The sign-in link was already used or is too old. ${remedy}`);
    },

    /** Resolves with a one-time code that starts a session of the first owner; `undefined` if there is no owner. */
    createCode: async (): Promise<string | undefined> => {
      const [ownerId] = await accounts.listOwners();
      const owner = (await accounts.listUsers()).find(({ id }) => id === ownerId);
      if (!owner) return undefined;
      const { secret, row } = createRow(owner, 'code', limits.signInCodeMs);
      await sessions.add(row, now());
      return secret;
    },

    /**
     * Finds the user of a session, and renews it. `renewedMs`: how long it lasts from now on, if its cookie has to be
     * renewed, too. Resolves with `undefined` if the session has ended.
     */
    find: async (secret: string): Promise<(SessionUser & { renewedMs?: number }) | undefined> => {
      const hash = hashSecret(secret);
      const user = await sessions.find(hash, now());
      if (!user) return undefined;
      const renewedMs = Math.min(limits.sessionMs, user.endsAt - now());
      if (user.expiresAt - now() >= renewedMs - limits.sessionMs / RENEWALS) return user;
      await sessions.renew(hash, now() + renewedMs);
      return { ...user, renewedMs };
    },

    /**
     * Gives a user another password, which ends all sessions and tokens. Resolves with the secret of a new session. Throws
     * `PASSWORD_WRONG`, or `TOO_MANY_SIGN_INS`.
     */
    changePassword: async (caller: PageCaller, current: string, password: string): Promise<SignedIn> => {
      const user = await checkPassword({ ...caller, device: `session of ${caller.username}` }, current);
      if (!user) throw new ServiceError('PASSWORD_WRONG', 'The current password is wrong.');
      const password_hash = await hashPassword(password, passwordCost);
      await accounts.setPassword(user.username, password_hash);
      const changed = { ...user, password_hash };
      return { secret: await addSession(changed), device: await addDevice(changed) };
    },

    /** Ends all sessions, sign-in links and tokens of a user. */
    endAll: (userId: string): Promise<void> => sessions.removeAllOf(userId),

    end: (secret: string): Promise<void> => sessions.remove(hashSecret(secret)),

    /** How long a session lasts when it is not used, in ms. */
    durationMs: limits.sessionMs,

    /** How long a browser is known, in ms. */
    deviceMs: limits.deviceMs,
  };
}

export type WebSessions = ReturnType<typeof createWebSessions>;
