import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './node-red-process.js';
import { eventually } from './processes.js';

const run = promisify(execFile);

/** The load balancer that the operating manual describes. */
const CONFIGURATION = path.resolve('docs/operating/many-machines/haproxy.cfg');

/** A running HAProxy on loopback. */
export interface Haproxy {
  baseUrl: string;
  /** Returns the lines that it has logged: one for each request, and one for each process that is ready or no longer is. */
  log(): string[];
  stop(): Promise<void>;
}

/** Returns the configuration of the manual with the addresses of this machine instead of those of its example. */
function localize(text: string, port: number, baseUrls: readonly string[]): string {
  const servers = baseUrls.map((url, index) => `  server api-${index + 1} ${new URL(url).host}`);
  return `${text.replace('bind :8080', `bind 127.0.0.1:${port}`).replace(/^ {2}server .*\n/gm, '')}${servers.join('\n')}\n`;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/**
 * Starts HAProxy with the configuration of the manual in front of the API processes with these URLs. Resolves once all of
 * them get requests.
 */
export async function startHaproxy(baseUrls: readonly string[]): Promise<Haproxy> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'haproxy-'));
  const file = path.join(folder, 'haproxy.cfg');
  const port = await findFreePort();
  await writeFile(file, localize(await readFile(CONFIGURATION, 'utf8'), port, baseUrls));
  await run('haproxy', ['-c', '-f', file]); // rejects with its messages if the file is invalid
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    const instances = new Set<string>();
    await eventually(`HAProxy passes requests to ${baseUrls.length} processes`, async () => {
      if (child.exitCode !== null) throw new Error(`HAProxy has ended: ${output}`);
      const reply = await fetch(`${baseUrl}/healthz`).catch(() => undefined);
      if (reply?.status === 200) instances.add(Object(await reply.json()).instanceId);
      return instances.size === baseUrls.length;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { baseUrl, log: () => output.split('\n'), stop };
}
