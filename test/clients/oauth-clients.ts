import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import * as oauth4webapi from 'oauth4webapi';
import * as openid from 'openid-client';
import { ResourceOwnerPassword } from 'simple-oauth2';

/** An account, and where it is good. */
export interface Account {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

/** A pair of tokens, or the error code of RFC 6749 that the client understood. */
export type Grant = { access: string; refresh: string } | { error: string };

/** A client that others wrote, used as its documentation says. */
export interface OAuthClient {
  name: string;
  byPassword(account: Account): Promise<Grant>;
  byRefreshToken(account: Account, refreshToken: string): Promise<Grant>;
}

/** What a client's own object says of its tokens. */
const readTokens = (tokens: object): Grant => {
  const { access_token: access, refresh_token: refresh }: Record<string, unknown> = { ...tokens };
  if (typeof access !== 'string' || typeof refresh !== 'string') throw new Error('the client shows no pair of tokens');
  return { access, refresh };
};

/** Where a client puts the error code: on its error, or on what it calls the body. */
const readError = (thrown: unknown, ...path: string[]): Grant => {
  const found = path.reduce<unknown>((value, key) => Object(value)[key], thrown);
  if (typeof found !== 'string') throw thrown;
  return { error: found };
};

/** Panva's clients tell a challenge, which RFC 6749 demands beside `invalid_client`, in place of the body that came with it. */
const readChallenge = (thrown: unknown): Grant =>
  thrown instanceof oauth4webapi.WWWAuthenticateChallengeError && thrown.status === 401
    ? { error: 'invalid_client' }
    : readError(thrown, 'error');

const serverOf = ({ baseUrl }: Account) => ({ issuer: baseUrl, token_endpoint: `${baseUrl}/Token` });
const passwordForm = ({ username, password }: Account) => ({ username, password });

const withOauth4webapi: OAuthClient = {
  name: 'oauth4webapi',
  async byPassword(account) {
    const [server, client] = [serverOf(account), { client_id: account.clientId }];
    const secret = oauth4webapi.ClientSecretBasic(account.clientSecret);
    const options = { [oauth4webapi.allowInsecureRequests]: true };
    const form = passwordForm(account);
    const reply = await oauth4webapi.genericTokenEndpointRequest(server, client, secret, 'password', form, options);
    return oauth4webapi.processGenericTokenEndpointResponse(server, client, reply).then(readTokens, readChallenge);
  },
  async byRefreshToken(account, refreshToken) {
    const [server, client] = [serverOf(account), { client_id: account.clientId }];
    const secret = oauth4webapi.ClientSecretBasic(account.clientSecret);
    const options = { [oauth4webapi.allowInsecureRequests]: true };
    const reply = await oauth4webapi.refreshTokenGrantRequest(server, client, secret, refreshToken, options);
    return oauth4webapi.processRefreshTokenResponse(server, client, reply).then(readTokens, readChallenge);
  },
};

const openidConfiguration = (account: Account): openid.Configuration => {
  const secret = openid.ClientSecretBasic(account.clientSecret);
  const configuration = new openid.Configuration(serverOf(account), account.clientId, {}, secret);
  openid.allowInsecureRequests(configuration);
  return configuration;
};

const withOpenidClient: OAuthClient = {
  name: 'openid-client',
  byPassword: (account) =>
    openid
      .genericGrantRequest(openidConfiguration(account), 'password', passwordForm(account))
      .then(readTokens, readChallenge),
  byRefreshToken: (account, refreshToken) =>
    openid.refreshTokenGrant(openidConfiguration(account), refreshToken).then(readTokens, readChallenge),
};

const simpleClient = ({ baseUrl, clientId, clientSecret }: Account): ResourceOwnerPassword =>
  new ResourceOwnerPassword({
    client: { id: clientId, secret: clientSecret },
    auth: { tokenHost: baseUrl, tokenPath: '/Token' },
  });

const withSimpleOauth2: OAuthClient = {
  name: 'simple-oauth2',
  byPassword: (account) =>
    simpleClient(account)
      .getToken(passwordForm(account))
      .then(
        ({ token }) => readTokens(token),
        (error) => readError(error, 'data', 'payload', 'error'),
      ),
  byRefreshToken: (account, refreshToken) =>
    simpleClient(account)
      .createToken({ refresh_token: refreshToken })
      .refresh()
      .then(
        ({ token }) => readTokens(token),
        (error) => readError(error, 'data', 'payload', 'error'),
      ),
};

// Debian's own Python has Debian's packages. PYTHON names another.
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3';

const askPython = async (question: object): Promise<Grant> => {
  const script = await readFile('test/clients/requests_oauthlib_grant.py', 'utf8');
  return new Promise((resolve, reject) => {
    const child = execFile(PYTHON, ['-c', script], (error, stdout) => {
      if (error) reject(error);
      else resolve(JSON.parse(stdout)); // our own script
    });
    child.stdin?.end(JSON.stringify(question));
  });
};

const withRequestsOauthlib: OAuthClient = {
  name: 'requests-oauthlib',
  byPassword: (account) => askPython(account),
  byRefreshToken: (account, refreshToken) => askPython({ ...account, refreshToken }),
};

export const OAUTH_CLIENTS: readonly OAuthClient[] = [
  withOauth4webapi,
  withOpenidClient,
  withSimpleOauth2,
  withRequestsOauthlib,
];
