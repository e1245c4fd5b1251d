import { open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { ClientError } from '../client-error.js';
import { toBytes } from './enforce-exact-size.js';
import { createFileBody } from './file-body.js';
import { type IdleLimit, limitIdle } from './limit-idle.js';
import { createSpoolEntry, toSpoolError } from './spool-folder.js';
import type { UploadBody } from './upload-body.js';

/**
 * Writes a stream of unknown length to a temporary file and returns that as the body of an upload. Disposing of the
 * body deletes the file. Destroys the stream in any case. Throws `FILE_UNWRITABLE`, `FILE_UNREADABLE`, `DISK_FULL`,
 * `TIMEOUT` or `ABORTED`.
 */
export async function createSpooledBody(
  stream: Readable,
  filename: string,
  options: IdleLimit & { tempDir?: string | undefined },
): Promise<UploadBody> {
  const folder = await createSpoolEntry(options.tempDir ?? os.tmpdir());
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = path.join(folder, 'body');
    await writeStream(stream, file, filename, options);
    const body = await createFileBody(file, filename, { name: filename, limit: options });
    return { ...body, dispose: () => body.dispose().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    stream.destroy();
  }
}

async function writeStream(stream: Readable, file: string, filename: string, limit: IdleLimit): Promise<void> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      for await (const chunk of limitIdle(stream, `the stream of ${filename}`, limit))
        await handle.writeFile(toBytes(chunk, filename));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ClientError) throw error;
    if (isWriteError(error, file)) throw toSpoolError(error, filename, path.dirname(path.dirname(file)));
    throw new ClientError('FILE_UNREADABLE', `Could not read the stream of ${filename} (${codeOf(error)}).`);
  }
}

// The stream may be that of another file.
function isWriteError(error: unknown, file: string): boolean {
  if (!(error instanceof Error)) return false;
  const hasPath = 'path' in error && error.path === file;
  return hasPath || ('syscall' in error && error.syscall === 'write') || ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
