import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

/** An nginx that takes files by WebDAV's PUT and gives them with sendfile. */
export interface Nginx {
  baseUrl: string;
  /** Where the file of a URL path is. */
  fileOf(name: string): string;
  close(): Promise<void>;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
};

const configuration = (folder: string, port: number): string => `
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

const untilAnswers = async (url: string, child: ChildProcess): Promise<void> => {
  while (child.exitCode === null) {
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('nginx could not be started');
};

/** Starts Debian's nginx (package nginx-light) on a folder. */
export const startNginx = async (folder: string): Promise<Nginx> => {
  for (const name of ['temp', 'files']) mkdirSync(path.join(folder, name), { recursive: true });
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder, port));
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilAnswers(baseUrl, child);
  return {
    baseUrl,
    fileOf: (name) => path.join(folder, 'files', name),
    close: async () => {
      child.kill('SIGQUIT');
      await ended;
    },
  };
};
