import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Program, startServe } from '../../service/support/program.js';

/** A fake print server that accepts uploads like OctoPrint and Moonraker, and records them. */
export interface FakePrinter {
  url: string;
  uploads: { path: string; key: string | undefined; body: string }[];
}

/** The environment of the examples outside of Node-RED: a home directory, a slicer, a printer and a remote service. */
export interface TestEnvironment {
  home: string;
  printer: FakePrinter;
  /** The environment variables for Node-RED. */
  env: Record<string, string>;
  stop: () => Promise<void>;
}

const PRINTER_KEY = 'key of the printer';

// Replaces PrusaSlicer: writes G-code to --output if its last argument is a file that is not empty.
const FAKE_SLICER = `#!/bin/sh
[ "$1" = --export-gcode ] && [ "$2" = --output ] && [ -s "$4" ] && echo "G1 X1 ; fake slicer" > "$3"
`;

/**
 * Creates a test environment. `slicer`: a fake slicer (default), or the PrusaSlicer that is installed on this machine.
 */
export async function createTestEnvironment(slicer: 'fake' | 'installed' = 'fake'): Promise<TestEnvironment> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'examples-'));
  const bin = path.join(home, 'bin');
  await mkdir(bin);
  await mkdir(path.join(home, 'models-to-convert/in'), { recursive: true });
  if (slicer === 'fake') await writeFile(path.join(bin, 'prusa-slicer'), FAKE_SLICER, { mode: 0o755 });
  const { program, account } = await startRemoteService(path.join(home, 'remote'));
  const { server, printer } = await startPrinter();
  return {
    home,
    printer,
    env: {
      HOME: home,
      TMPDIR: home,
      PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`,
      PRINTER_URL: printer.url,
      PRINTER_KEY,
      ...account,
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      program.child.kill('SIGTERM');
      await program.ended;
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}

async function startPrinter(): Promise<{ server: Server; printer: FakePrinter }> {
  const uploads: FakePrinter['uploads'] = [];
  const server = createServer((request, response) => {
    receiveUpload(request, uploads).then(() => {
      response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"done":true}');
    }, response.destroy.bind(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('Expected a TCP address.');
  return { server, printer: { url: `http://127.0.0.1:${address.port}/`, uploads } };
}

async function receiveUpload(request: IncomingMessage, uploads: FakePrinter['uploads']): Promise<void> {
  const key = request.headers['x-api-key'];
  uploads.push({ path: request.url ?? '', key: key?.toString(), body: await text(request) });
}

/** Starts the bundled service as a remote service, which Node-RED accesses by URL and account from the environment. */
async function startRemoteService(data: string): Promise<{ program: Program; account: Record<string, string> }> {
  const program = await startServe(data);
  const credentials = JSON.parse(await readFile(path.join(data, 'credentials.json'), 'utf8'));
  const account = {
    MODEL_PROCESSING_URL: program.baseUrl,
    MODEL_PROCESSING_CLIENT_ID: credentials.clientId,
    MODEL_PROCESSING_CLIENT_SECRET: credentials.clientSecret,
    MODEL_PROCESSING_USERNAME: credentials.username,
    MODEL_PROCESSING_PASSWORD: credentials.password,
  };
  return { program, account };
}
