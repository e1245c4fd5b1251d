import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Counters of the stub service since the last reset. */
export interface StubServiceCounts {
  tokenRequests: number;
  refreshReused: number;
  starts: number;
  uploads: number;
  uploadBytes: number;
}

/** A stub service in a separate process. */
export interface StubService {
  baseUrl: string;
  counts(): Promise<StubServiceCounts>;
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the stub service. `tokenLifeS` is the lifetime of its tokens in seconds. */
export async function startStubService(tokenLifeS = 900): Promise<StubService> {
  const child = spawn(process.execPath, [path.resolve('bench/nodes/stub-service.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, EXPIRES_IN: String(tokenLifeS) },
  });
  const ended = once(child, 'exit');
  const [baseUrl] = await once(createInterface(child.stdout), 'line');
  return {
    baseUrl,
    counts: async () => (await fetch(`${baseUrl}/counts`)).json(),
    reset: async () => {
      await fetch(`${baseUrl}/reset`);
    },
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Returns the id of a file of this size. */
export function toFileId(size: number): string {
  return `00000000-0000-4000-8000-${size.toString(16).padStart(12, '0')}`;
}
