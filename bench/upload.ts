// Uploads a synthetic binary STL of 20 million triangles (1,000,000,084 bytes) with the built client to the built
// service, each in a separate process, alternating with `curl -F`. `npx tsx bench/upload.ts` prints times and peak
// resident memory, writes bench/results/upload.json, and exits with 1 if either peak exceeds 150 MB. Needs Linux
// (/proc), curl and `npm run build`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Account, createTokenSource } from '../src/client/index.js';

const TRIANGLES = 20_000_000;
const TRIANGLES_PER_CHUNK = 20_000;
const ROUNDS = 3;
const LIMIT_MB = 150;

const root = path.resolve(fileURLToPath(import.meta.url), '../..');

/** Writes rows of separate triangles in a plane, 1 mm apart. */
function writeModel(file: string): void {
  const target = openSync(file, 'w');
  const head = Buffer.alloc(84);
  head.writeUInt32LE(TRIANGLES, 80);
  writeSync(target, head);
  const chunk = Buffer.alloc(50 * TRIANGLES_PER_CHUNK);
  for (let row = 0; row * TRIANGLES_PER_CHUNK < TRIANGLES; row += 1) {
    for (let column = 0; column < TRIANGLES_PER_CHUNK; column += 1) {
      const corners = [0, 0, 1, column, row, 0, column + 0.5, row, 0, column, row + 0.5, 0];
      for (const [index, value] of corners.entries()) chunk.writeFloatLE(value, column * 50 + index * 4);
    }
    writeSync(target, chunk);
  }
  closeSync(target);
}

function readPeakMb(pid: number): number {
  const peakKib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return (peakKib * 1024) / 1e6;
}
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Uploads a file with curl. Returns the time in seconds. */
function uploadWithCurl(file: string, account: Account, token: string): number {
  const url = `${account.baseUrl}/web-api/operation/file`;
  const start = performance.now();
  execFileSync('curl', ['-sf', '-H', `Authorization: Bearer ${token}`, '-F', `file=@${file}`, url]);
  return (performance.now() - start) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
function roundTo2Digits(value: number): number {
  return Number(value.toFixed(2));
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-upload-'));
const data = path.join(folder, 'data');
const serveArgs = [path.join(root, 'dist/src/cli.js'), 'serve', '--port', '0', '--data', data];
const service = spawn(process.execPath, serveArgs, { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const pid = service.pid;
  if (pid === undefined) throw new Error('The service could not be started.');
  const file = path.join(folder, 'model.stl');
  writeModel(file);
  await once(createInterface(service.stdout), 'line');
  const credentials = path.join(data, 'credentials.json');
  const account: Account = JSON.parse(readFileSync(credentials, 'utf8'));
  const tokens = createTokenSource(account);
  const rounds: { client: number; curl: number; clientMb: number; serviceMb: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const curl = uploadWithCurl(file, account, await tokens.token());
    resetPeak(pid);
    const upload = [path.join(root, 'bench/upload-once.mjs'), file, credentials];
    const { seconds, peakMb } = JSON.parse(execFileSync(process.execPath, upload, { encoding: 'utf8' }));
    rounds.push({ client: seconds, curl, clientMb: peakMb, serviceMb: readPeakMb(pid) });
  }
  tokens.close();
  const clientPeakMb = roundTo2Digits(Math.max(...rounds.map(({ clientMb }) => clientMb)));
  const servicePeakMb = roundTo2Digits(Math.max(...rounds.map(({ serviceMb }) => serviceMb)));
  const clientSeconds = roundTo2Digits(median(rounds.map(({ client }) => client)));
  const curlSeconds = roundTo2Digits(median(rounds.map(({ curl }) => curl)));
  const result = {
    what: `upload of a binary STL of 1,000,000,084 bytes, median of ${ROUNDS}; the highest peak of resident memory`,
    clientSeconds,
    curlSeconds,
    speedOfCurl: roundTo2Digits(curlSeconds / clientSeconds),
    clientPeakMb,
    servicePeakMb,
    limitMb: LIMIT_MB,
    machine: { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, system: os.type() },
  };
  console.log(result);
  writeFileSync(path.join(root, 'bench/results/upload.json'), `${JSON.stringify(result, null, 2)}\n`);
  if (Math.max(clientPeakMb, servicePeakMb) > LIMIT_MB) process.exitCode = 1;
} finally {
  service.kill();
  await once(service, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
