import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Account } from '../../../src/client/index.js';

/**
 * The contents of `credentials.json` in the data folder: the address and the instance id of the running service, and
 * the account that it created for its owner.
 */
export interface LocalCredentials extends Account {
  instanceId: string;
  /** The key with which the service proves its identity. Absent in the file of an earlier version. */
  identityKey?: string | undefined;
}

const FIELDS = ['baseUrl', 'instanceId', 'clientId', 'clientSecret', 'username', 'password'] as const;
const HEALTH_CHECK_TIMEOUT_MS = 2_000;

/** Reads `credentials.json` of a data folder. Returns `undefined` if the file is missing or incomplete. */
export async function readLocalCredentials(dataDir: string): Promise<LocalCredentials | undefined> {
  try {
    const saved: Record<string, unknown> = Object(
      JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8')),
    );
    const field = (name: (typeof FIELDS)[number]): string => {
      const value = saved[name];
      if (typeof value !== 'string') throw new TypeError(`Invalid credentials.json: ${name} is missing.`);
      return value;
    };
    return {
      baseUrl: field('baseUrl'),
      instanceId: field('instanceId'),
      identityKey: typeof saved.identityKey === 'string' ? saved.identityKey : undefined,
      clientId: field('clientId'),
      clientSecret: field('clientSecret'),
      username: field('username'),
      password: field('password'),
    };
  } catch {
    return undefined; // the service is still writing the file: the caller retries
  }
}

/**
 * Returns whether the service that wrote these credentials replies at their address within 2 s. Sends no secrets. The reply
 * proves that its sender can read `credentials.json`: while the service is down, another user of the machine could listen at
 * its port, with its instance id.
 */
export async function isServiceAlive(credentials: LocalCredentials, signal: AbortSignal): Promise<boolean> {
  const { baseUrl, instanceId, identityKey } = credentials;
  const nonce = randomBytes(32).toString('base64url');
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_CHECK_TIMEOUT_MS)]);
    const url = new URL('/healthz', baseUrl);
    if (identityKey !== undefined) url.searchParams.set('nonce', nonce);
    const reply = await fetch(url, { signal: limit, redirect: 'error' });
    const health: Record<string, unknown> = Object(await reply.json());
    if (!reply.ok || health.instanceId !== instanceId) return false;
    if (identityKey === undefined) return true;
    const port = url.port || '80';
    return health.proof === createHmac('sha256', identityKey).update(`${nonce} ${port}`).digest('base64url');
  } catch {
    return false;
  }
}
