import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** What the sink has seen since its last reset. */
export interface SinkCounts {
  tokenRequests: number;
  refreshReused: number;
  starts: number;
  uploads: number;
  uploadBytes: number;
}

export interface StubService {
  baseUrl: string;
  counts(): Promise<SinkCounts>;
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the sink in a process of its own. `tokenLifeS`: the life of its tokens, in seconds. */
export const startStubService = async (tokenLifeS = 900): Promise<StubService> => {
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
};

/** The id of a file of so many bytes. */
export const fileIdOf = (size: number): string => `00000000-0000-4000-8000-${size.toString(16).padStart(12, '0')}`;
