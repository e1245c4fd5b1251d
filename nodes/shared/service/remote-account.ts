import { readFile } from 'node:fs/promises';
import type { Account } from '../../../src/client/index.js';
import { checkAddress, isBlank, isVariable } from '../node/field-rules.js';
import { createNodeError } from '../node/flow-error.js';

/** The credential fields of the config node, with the types that Node-RED needs to store them. */
export const CREDENTIALS = {
  clientId: { type: 'text' },
  clientSecret: { type: 'password' },
  username: { type: 'text' },
  password: { type: 'password' },
} as const;

type CredentialName = keyof typeof CREDENTIALS;
/** The credentials of a config node as Node-RED restores them. */
export type SavedCredentials = { [name in CredentialName]?: unknown };

/** Credential → environment variable. */
const ENVIRONMENT_NAMES: Record<CredentialName, string> = {
  clientId: 'MODEL_PROCESSING_CLIENT_ID',
  clientSecret: 'MODEL_PROCESSING_CLIENT_SECRET',
  username: 'MODEL_PROCESSING_USERNAME',
  password: 'MODEL_PROCESSING_PASSWORD',
};
/** The names of all credentials. */
export const CREDENTIAL_NAMES = ['clientId', 'clientSecret', 'username', 'password'] as const;

/**
 * The origin of a credential: a value from the dialog or an environment variable, or a file named by such a variable.
 */
type Source = { value: string } | { file: string; variable: string } | undefined;

function findSource(name: CredentialName, saved: SavedCredentials, environment: NodeJS.ProcessEnv): Source {
  const savedValue = saved[name];
  // Node-RED replaces `${NAME}` by the value of the variable, and keeps the text if there is no such variable.
  if (typeof savedValue === 'string' && savedValue !== '' && !/^\$\{[^}]+\}$/.test(savedValue))
    return { value: savedValue };
  const variable = ENVIRONMENT_NAMES[name];
  const value = environment[variable];
  if (value) return { value };
  const file = environment[`${variable}_FILE`];
  return file ? { file, variable: `${variable}_FILE` } : undefined;
}

/** Returns the names of the credentials that environment variables provide, for fields that are empty. */
export function listVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  return CREDENTIAL_NAMES.filter((name) => findSource(name, {}, environment));
}

/**
 * Returns the problem of an account: missing fields, named by `labelOf`, or an invalid address. The text does not contain
 * the address, which may have a password. Returns `undefined` if there is no problem. Reads no files.
 */
export function findAccountProblem(
  baseUrl: string,
  saved: SavedCredentials,
  environment: NodeJS.ProcessEnv = process.env,
  labelOf: (name: string) => string = (name) => name,
): string | undefined {
  const isAddressMissing = isBlank(baseUrl) || isVariable(baseUrl.trim());
  const missing = CREDENTIAL_NAMES.filter((name) => !findSource(name, saved, environment));
  const labels = [...(isAddressMissing ? ['baseUrl'] : []), ...missing].map(labelOf);
  const problems = [
    !isAddressMissing && checkAddress(baseUrl)
      ? 'Invalid address: enter a URL that begins with http:// or https:// and contains no username or password.'
      : '',
    labels.length > 0 ? `Fields missing in the service node: ${labels.join(', ')}.` : '',
  ];
  return problems.filter(Boolean).join(' ') || undefined;
}

/**
 * Returns values that identify an account, even before the files with its secrets are read. They contain secrets: do
 * not store them.
 */
export function createAccountKey(
  baseUrl: string,
  saved: SavedCredentials,
  environment: NodeJS.ProcessEnv = process.env,
): unknown[] {
  return [baseUrl, ...CREDENTIAL_NAMES.map((name) => findSource(name, saved, environment))];
}

/**
 * Reads the account at a remote service. Throws `NOT_CONFIGURED` if a field is missing, the address is invalid or
 * a file cannot be read.
 */
export async function readRemoteAccount(
  baseUrl: string,
  saved: SavedCredentials,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Account> {
  const problem = findAccountProblem(baseUrl, saved, environment);
  if (problem) throw createNodeError('NOT_CONFIGURED', problem);
  const read = async (name: CredentialName): Promise<string> => {
    const source = findSource(name, saved, environment);
    if (!source) throw createNodeError('NOT_CONFIGURED', `Fields missing in the service node: ${name}.`);
    if ('value' in source) return source.value;
    const content = await readFile(source.file, 'utf8').catch(() => {
      const message = `Could not read ${source.file}, the file named by ${source.variable}. Check its path and permissions.`;
      throw createNodeError('NOT_CONFIGURED', message);
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
