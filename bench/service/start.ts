import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { serializeRecord } from '../../src/service/blobs/blob-record.js';
import { Digester } from '../../src/service/blobs/digest.js';
import { median, residentMib, roundTo } from './service-process.js';

const ROUNDS = 5;
const SETTLED_MS = 1000;
const STORED_FILES = 100_000;

async function startOnce(data: string): Promise<{ ms: number; mib: number }> {
  const start = performance.now();
  const args = [path.resolve('dist/src/cli.js'), 'serve', '--port', '0', '--data', data, '--log-level', 'warn'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [baseUrl] = await once(createInterface(child.stdout), 'line');
  const { status } = await fetch(`${baseUrl}/readyz`);
  const ms = performance.now() - start;
  if (status !== 200) throw new Error(`/readyz replied ${status}.`);
  await sleep(SETTLED_MS);
  const mib = residentMib(child.pid ?? 0);
  child.kill();
  await ended;
  return { ms, mib };
}

/** Adds stored files with records to the data folder of a stopped service. */
function fillFolder(data: string): void {
  const digester = new Digester();
  const bytes = Buffer.from('solid a');
  digester.update(bytes);
  const { size, sha256, blockCrcs } = digester.finish();
  const store = new Database(path.join(data, 'service.db'));
  const insert = store.prepare(
    `insert into file (id, owner, kind, filename, media_type, size, sha256, block_crcs, created_at, retained_from, read_at)
     values (?, 'owner', 'file', 'a.stl', 'model/stl', ?, ?, ?, ?, ?, ?)`,
  );
  const now = Date.now();
  store.exec('begin');
  for (let count = 0; count < STORED_FILES; count++) {
    const id = randomUUID();
    const blob = path.join(data, 'blobs', id.slice(0, 2), id);
    const names = { id, owner: 'owner', kind: 'file', filename: 'a.stl', mediaType: 'model/stl' } as const;
    const record = { ...names, createdAt: now, operationId: null, size, sha256, blockCrcs };
    mkdirSync(path.dirname(blob), { recursive: true });
    writeFileSync(blob, bytes);
    writeFileSync(`${blob}.json`, serializeRecord(record));
    insert.run(id, size, sha256, blockCrcs, now, now, now);
  }
  store.exec('commit');
  store.close();
}

/**
 * Measures the time from the start in an empty folder until /readyz succeeds, the idle memory, and how much longer the
 * start takes in a folder with many files.
 */
export async function measureStart(folder: string) {
  const full = path.join(folder, 'full');
  await startOnce(full);
  fillFolder(full);
  const starts = [];
  const fullStarts = [];
  for (let round = 0; round < ROUNDS; round++) {
    starts.push(await startOnce(path.join(folder, `start-${round}`)));
    fullStarts.push(await startOnce(full));
  }
  const medianMs = (all: { ms: number }[]): number => median(all.map(({ ms }) => ms));
  return {
    startMs: { median: roundTo(medianMs(starts), 0), reach: 1500 },
    startWithFilesMs: {
      files: STORED_FILES,
      more: roundTo(medianMs(fullStarts) - medianMs(starts), 0),
      reach: 2000,
    },
    idleMib: { most: roundTo(Math.max(...starts.map(({ mib }) => mib)), 1), reach: 130 },
  };
}
