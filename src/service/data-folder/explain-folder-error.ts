import { access, constants, readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { codeOf, describeShortage, pathOf } from '../machine/system-errors.js';
import { isDiskFull } from '../service-error.js';
import { StartError } from '../start-error.js';

/** How a folder is named in messages, and what to do instead of using it. */
export interface FolderKind {
  name: string;
  alternative: string;
}

const DATA_FOLDER: FolderKind = { name: 'data folder', alternative: 'choose another folder with --data' };

/** A file or folder that this program cannot use as it has to. */
interface Obstacle {
  file: string;
  /** The error code of the system. */
  code: string;
}

/**
 * Returns the error of a data folder that cannot be used, in words, with the remedy: `FOLDER_UNUSABLE` if its file system
 * or its permissions refuse access, `DISK_FULL`. Looks for the file that the system refuses, because the errors of the
 * database library name neither it nor the reason. Returns any other error unchanged. `kind`: default: a
 * data folder.
 */
export async function explainFolderError(
  error: unknown,
  folder: string,
  { name, alternative }: FolderKind = DATA_FOLDER,
): Promise<unknown> {
  if (error instanceof StartError) return error;
  const options = { cause: error };
  if (isDiskFull(error)) {
    const remedy = `Free disk space, or ${alternative}.`;
    return new StartError('DISK_FULL', `Disk full: no space for the ${name} ${folder}. ${remedy}`, options);
  }
  const could = `Could not use the ${name} ${folder}`;
  // The database library does not say that it lacks a file descriptor.
  const shortage = describeShortage(error) ?? (isAccessError(error) ? await findShortage(folder) : undefined);
  if (shortage !== undefined) return new StartError('FOLDER_UNUSABLE', `${could}: ${shortage}.`, options);
  if (!isAccessError(error)) return error;
  const obstacle = (await findObstacle(folder)) ?? findNamedObstacle(error, folder);
  const reason = obstacle ? await describe(obstacle, folder) : `${error.message}. Check its permissions and its disk`;
  return new StartError('FOLDER_UNUSABLE', `${could}: ${reason}, or ${alternative}.`, options);
}

async function findShortage(folder: string): Promise<string | undefined> {
  return readdir(folder).then(() => undefined, describeShortage);
}

// The database library reports a file that it cannot open by a number in the text.
function isAccessError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const codes =
    /^(?:EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOENT|EISDIR|EIO|ELOOP|ENAMETOOLONG|SQLITE_(?:CANTOPEN|READONLY|PERM|IOERR)\w*)$/;
  return codes.test(codeOf(error) ?? '') || /^ConnectionFailed\(/.test(error.message);
}

/** Finds what keeps this program from using a folder: a missing permission, or a file in the place of a folder. */
async function findObstacle(folder: string): Promise<Obstacle | undefined> {
  const info = await stat(folder).catch((error: unknown) => codeOf(error) ?? 'EIO');
  if (info === 'ENOENT' || info === 'ENOTDIR') return findObstacleAbove(path.dirname(folder));
  if (typeof info === 'string') return { file: folder, code: info };
  if (!info.isDirectory()) return { file: folder, code: 'ENOTDIR' };
  return (await findRefused(folder, constants.R_OK | constants.W_OK | constants.X_OK)) ?? findObstacleIn(folder);
}

// A folder that does not exist is created in the nearest one that does. ENOTDIR: a file is in the place of a parent.
async function findObstacleAbove(parent: string): Promise<Obstacle | undefined> {
  const info = await stat(parent).catch((error: unknown) => codeOf(error) ?? 'EIO');
  const isMissing = info === 'ENOENT' || info === 'ENOTDIR';
  if (isMissing && path.dirname(parent) !== parent) return findObstacleAbove(path.dirname(parent));
  if (typeof info === 'string') return { file: parent, code: info };
  if (!info.isDirectory()) return { file: parent, code: 'ENOTDIR' };
  return findRefused(parent, constants.W_OK | constants.X_OK);
}

async function findObstacleIn(folder: string): Promise<Obstacle | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    const mode = constants.R_OK | constants.W_OK | (entry.isDirectory() ? constants.X_OK : 0);
    const obstacle = await findRefused(file, mode);
    if (obstacle) return obstacle;
  }
  const blobs = path.join(folder, 'blobs');
  const isBlobFolder = entries.some(({ name }) => name === 'blobs') && path.basename(folder) !== 'blobs';
  return isBlobFolder ? findObstacleIn(blobs) : undefined;
}

async function findRefused(file: string, mode: number): Promise<Obstacle | undefined> {
  return access(file, mode).then(
    () => undefined,
    (error: unknown) => ({ file, code: codeOf(error) ?? 'EIO' }),
  );
}

function findNamedObstacle(error: Error, folder: string): Obstacle | undefined {
  const code = codeOf(error);
  const file = pathOf(error) ?? folder;
  return code?.startsWith('E') ? { file, code } : undefined;
}

// Returns the cause and the remedy, without a full stop.
async function describe({ file, code }: Obstacle, folder: string): Promise<string> {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return describePermission(file, folder);
    case 'EROFS':
      return `${file} is on a read-only file system. Mount it writable, as a volume of a container`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `${file} is not a folder. Move it`;
    case 'EIO':
      return `the disk cannot read or write ${file}. Check the disk`;
    default:
      return `the system refuses ${file} (${code}). Check its path`;
  }
}

async function describePermission(file: string, folder: string): Promise<string> {
  const info = await stat(file).catch(() => undefined);
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if (!info || user === undefined)
    return `user ${user ?? os.userInfo().username} has no permission to read and write ${file}. Give them the permission`;
  const mode = (info.mode & 0o7777).toString(8).padStart(4, '0');
  const fact = `${file} belongs to user ${info.uid} (mode ${mode}), and this program runs as user ${user}`;
  // A parent, which others may use as well, keeps its owner.
  if (path.relative(folder, file).startsWith('..'))
    return `${fact}, who may not create a folder there. Create it, as root (mkdir ${folder} && chown ${user}:${group} ${folder})`;
  return info.uid === user
    ? `${fact}. Restore its permissions (chmod -R u+rwX ${folder})`
    : `${fact}. Change its owner, as root (chown -R ${user}:${group} ${folder})`;
}
