import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Account } from '../../../src/client/index.js';

/** What the local service writes beside its data: where it answers, which one it is, and the account it made for its owner. */
export interface LocalCredentials extends Account {
  instanceId: string;
}

const FIELDS = ['baseUrl', 'instanceId', 'clientId', 'clientSecret', 'username', 'password'] as const;
const HEALTH_CHECK_MS = 2_000;

/** Reads `credentials.json` of a data folder. `undefined` where there is none, or not a whole one. */
export async function readLocalCredentials(dataDir: string): Promise<LocalCredentials | undefined> {
  try {
    const saved: Record<string, unknown> = Object(
      JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8')),
    );
    const field = (name: (typeof FIELDS)[number]): string => {
      const value = saved[name];
      if (typeof value !== 'string') throw new TypeError(`credentials.json has no ${name}`);
      return value;
    };
    return {
      baseUrl: field('baseUrl'),
      instanceId: field('instanceId'),
      clientId: field('clientId'),
      clientSecret: field('clientSecret'),
      username: field('username'),
      password: field('password'),
    };
  } catch {
    return undefined; // not there yet, or being written: whoever asks tries again
  }
}

/** Does the service that wrote these credentials answer at their address? No secret is sent. */
export async function isServiceAlive({ baseUrl, instanceId }: LocalCredentials, signal: AbortSignal): Promise<boolean> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_CHECK_MS)]);
    const reply = await fetch(new URL('/healthz', baseUrl), { signal: limit, redirect: 'error' });
    const health: Record<string, unknown> = Object(await reply.json());
    return reply.ok && health.instanceId === instanceId;
  } catch {
    return false;
  }
}
