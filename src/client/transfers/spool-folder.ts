import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { ClientError } from '../client-error.js';
import { ensureFolder } from './ensure-folder.js';
import { toWriteError } from './write-error.js';

const PREFIX = 'model-upload-';
/** The name of a folder for one upload: it has the id of the process that created it. */
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

/** Returns the error of writing `object` to a spool folder, with the remedy: `FILE_UNWRITABLE` or `DISK_FULL`. */
export function toSpoolError(error: unknown, object: string, spoolDir: string): ClientError {
  const { code, message } = toWriteError(error, `${object} to the spool folder ${spoolDir}`);
  const remedy = code === 'DISK_FULL' ? 'Free disk space there' : 'Make the folder writable';
  return new ClientError(code, `${message} ${remedy}, or upload a file or a Buffer instead of a stream.`);
}

/**
 * Creates a folder for one upload in a spool folder, which is created if it is missing. Throws `FILE_UNWRITABLE` or
 * `DISK_FULL`.
 */
export async function createSpoolEntry(spoolDir: string): Promise<string> {
  try {
    await ensureFolder(spoolDir);
    return await mkdtemp(path.join(spoolDir, `${PREFIX}${process.pid}-`));
  } catch (error) {
    throw toSpoolError(error, 'the stream', spoolDir);
  }
}

/**
 * Deletes the folders that ended processes left in a spool folder. To be called before this process spools there: an
 * earlier process may have had the same id, as in a container. Never rejects: remnants only take space.
 */
export async function removeSpoolRemnants(spoolDir: string): Promise<void> {
  // Read before this function returns, so that no upload of this process is among them.
  const remnants = listRemnants(spoolDir);
  await Promise.all(
    remnants.map((name) => rm(path.join(spoolDir, name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

function listRemnants(spoolDir: string): string[] {
  try {
    return readdirSync(spoolDir).filter((name) => {
      const [, id] = NAME.exec(name) ?? [];
      return id !== undefined && (Number(id) === process.pid || !isRunning(Number(id)));
    });
  } catch {
    return []; // the folder does not exist yet
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
