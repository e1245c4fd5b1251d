import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

/** An nginx that accepts uploads by WebDAV PUT and serves files with sendfile. */
export interface Nginx {
  baseUrl: string;
  /** Returns the path of the file at a URL path. */
  fileOf(name: string): string;
  close(): Promise<void>;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('No free port.');
  return address.port;
}

function createConfiguration(folder: string, port: number): string {
  return `
user root;
worker_processes 1;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log off;
  sendfile on;
  client_max_body_size 0;
  client_body_temp_path ${folder}/temp;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location / { dav_methods PUT; }
  }
}`;
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('Could not start nginx.');
}

/** Starts Debian's nginx (package nginx-light) in a folder. */
export async function startNginx(folder: string): Promise<Nginx> {
  for (const name of ['temp', 'files']) mkdirSync(path.join(folder, name), { recursive: true });
  const port = await findFreePort();
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, createConfiguration(folder, port));
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitUntilReady(baseUrl, child);
  return {
    baseUrl,
    fileOf: (name) => path.join(folder, 'files', name),
    close: async () => {
      child.kill('SIGQUIT');
      await ended;
    },
  };
}
