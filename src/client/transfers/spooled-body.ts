import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ClientError } from '../client-error.js';
import { abortedError } from '../clock.js';
import { CHUNK_BYTES, toBytes } from './enforce-exact-size.js';
import { fileBody } from './file-body.js';
import type { UploadBody } from './upload-body.js';

/** The body of a stream whose length nobody knows: kept in a file of its own until the body is disposed of. */
export async function spooledBody(
  stream: Readable,
  filename: string,
  options: { tempDir?: string | undefined; signal: AbortSignal },
): Promise<UploadBody> {
  const folder = await makeFolder(options.tempDir ?? os.tmpdir());
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = path.join(folder, 'body');
    await keep(stream, file, filename, options.signal);
    const body = await fileBody(file, filename, filename);
    return { ...body, dispose: () => body.dispose().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    stream.destroy();
  }
}

async function makeFolder(tempDir: string): Promise<string> {
  try {
    return await mkdtemp(path.join(tempDir, 'model-upload-'));
  } catch (error) {
    throw new ClientError('FILE_UNWRITABLE', `Could not make a folder below ${tempDir} (${codeOf(error)}).`);
  }
}

async function keep(stream: Readable, file: string, filename: string, signal: AbortSignal): Promise<void> {
  try {
    const target = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: CHUNK_BYTES });
    // A file takes no objects, and would throw where nobody can catch it.
    await pipeline(stream, (pieces) => bytesOf(pieces, filename), target, { signal });
  } catch (error) {
    if (signal.aborted) throw abortedError('The upload');
    if (error instanceof ClientError) throw error;
    const code = codeOf(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new ClientError('DISK_FULL', `Could not keep ${filename} before its upload: the disk is full.`);
    }
    throw new ClientError('FILE_UNREADABLE', `Could not read the stream of ${filename} to its end (${code}).`);
  }
}

async function* bytesOf(pieces: AsyncIterable<unknown>, name: string): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield toBytes(piece, name);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
