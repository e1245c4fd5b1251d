import { readFile } from 'node:fs/promises';
import type { Account } from '../../../src/client/index.js';
import { createNodeError } from '../node/flow-error.js';

/** The credentials of the config node, as the editor half knows them. */
export const CREDENTIALS = {
  clientId: { type: 'text' },
  clientSecret: { type: 'password' },
  username: { type: 'text' },
  password: { type: 'password' },
} as const;

type CredentialName = keyof typeof CREDENTIALS;
export type SavedCredentials = { [name in CredentialName]?: unknown };

const ENVIRONMENT_NAMES: Record<CredentialName, string> = {
  clientId: 'MODEL_PROCESSING_CLIENT_ID',
  clientSecret: 'MODEL_PROCESSING_CLIENT_SECRET',
  username: 'MODEL_PROCESSING_USERNAME',
  password: 'MODEL_PROCESSING_PASSWORD',
};
/** The names of all credentials. */
export const CREDENTIAL_NAMES = ['clientId', 'clientSecret', 'username', 'password'] as const;

/** What stands where: typed in, in an environment variable, or in a file that such a variable names. */
type Source = { value: string } | { file: string; variable: string } | undefined;

function findSource(name: CredentialName, saved: SavedCredentials, environment: NodeJS.ProcessEnv): Source {
  const typed = saved[name];
  // Node-RED puts the variable's value in the place of `${NAME}`, and leaves the text as it is where there is no such variable.
  if (typeof typed === 'string' && typed !== '' && !/^\$\{[^}]+\}$/.test(typed)) return { value: typed };
  const variable = ENVIRONMENT_NAMES[name];
  const value = environment[variable];
  if (value) return { value };
  const file = environment[`${variable}_FILE`];
  return file ? { file, variable: `${variable}_FILE` } : undefined;
}

/** Which of address and credentials are missing, by the names of their fields. Reads no file. */
export function missingFields(
  baseUrl: string,
  saved: SavedCredentials,
  environment: NodeJS.ProcessEnv = process.env,
): string[] {
  const missing = CREDENTIAL_NAMES.filter((name) => !findSource(name, saved, environment));
  return isHttpUrl(baseUrl) ? missing : ['baseUrl', ...missing];
}

/** What tells an account from others, also where a secret stands in a file that is not read yet. Holds secrets: not to be kept. */
export function remoteAccountKey(
  baseUrl: string,
  saved: SavedCredentials,
  environment: NodeJS.ProcessEnv = process.env,
): unknown[] {
  return [baseUrl, ...CREDENTIAL_NAMES.map((name) => findSource(name, saved, environment))];
}

/** The account at a remote service. `NOT_CONFIGURED` names what is missing, or the file that cannot be read. */
export async function readRemoteAccount(
  baseUrl: string,
  saved: SavedCredentials,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Account> {
  const missing = missingFields(baseUrl, saved, environment);
  if (missing.length > 0) throw createNodeError('NOT_CONFIGURED', `the service node lacks ${missing.join(', ')}`);
  const read = async (name: CredentialName): Promise<string> => {
    const source = findSource(name, saved, environment);
    if (!source) throw createNodeError('NOT_CONFIGURED', `the service node lacks ${name}`);
    if ('value' in source) return source.value;
    const content = await readFile(source.file, 'utf8').catch(() => {
      throw createNodeError('NOT_CONFIGURED', `${source.variable} names ${source.file}, which cannot be read`);
    });
    return content.trim();
  };
  return {
    baseUrl,
    clientId: await read('clientId'),
    clientSecret: await read('clientSecret'),
    username: await read('username'),
    password: await read('password'),
  };
}

function isHttpUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}
