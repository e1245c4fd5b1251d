import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { expandHome } from '../local-path.js';
import { createNodeError } from '../node/flow-error.js';
import { isOwnFile, type OwnFiles } from './own-files.js';

// The one place that decides where a path may lead. The order of the checks keeps a client of a flow from learning
// which files exist: a path that leads out of the folder by its text alone is refused before anything is looked up, and
// a link that leads out of the folder gets the same error as a missing file.

/** Where a path may lead. */
export interface PathScope {
  /** The folder that the path must stay in. `undefined`: anywhere. */
  folder: string | undefined;
  own: OwnFiles;
}

/**
 * Resolves a path that became known at run time in its folder. `~` is the home folder. Throws `INPUT_INVALID` for a
 * path that leads out of the folder, and for paths of network shares and devices. Links are not resolved.
 */
export async function resolveBoundPath(value: string, folder: string): Promise<string> {
  const file = path.resolve(folder, expandHome(value));
  if (!isSharePath(value) && isWithin(file, folder)) return file;
  // The path of the folder may contain links, and the value the path without them.
  const realFolder = await realpath(folder).catch(() => folder);
  if (!isSharePath(value) && isWithin(file, realFolder)) return file;
  throw createNodeError(
    'INPUT_INVALID',
    `Path outside the folder: "${value}". Use a path below ${folder}, or change Folder in the node's properties.`,
  );
}

// A UNC path or, on Windows, a device or an alternate data stream. Windows sends the user's password hash to the server
// of a UNC path, so such a path is not even looked up.
function isSharePath(value: string): boolean {
  return /^[\\/]{2}/.test(value.trim()) || (path.sep === '\\' && /:/.test(value.replace(/^[a-z]:/i, '')));
}

/** Returns whether a path is a folder itself, or is below it. Both are absolute; links are not resolved. */
export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/**
 * Opens a file for reading, and returns it only if it is a regular file that lies in the folder of the scope and
 * belongs neither to Node-RED nor to the local service. Throws `FILE_UNREADABLE`, or `INPUT_INVALID` for a file of
 * Node-RED if the path may lead anywhere.
 *
 * The opened file is checked, not only its path: on Linux, the system reports where the opened file lies, whatever
 * links were changed in the meantime. Elsewhere, path and identity are compared again, which a program on this machine
 * could outwit that replaces folders twice within a millisecond. A client of a flow cannot change links. `openFile` opens
 * a path for reading.
 */
export async function openScopedFile(
  file: string,
  { folder, own }: PathScope,
  openFile: (file: string) => Promise<FileHandle> = openForReading,
): Promise<FileHandle> {
  const missing = () => createMissingError(file, folder);
  const realFolder = folder === undefined ? undefined : await resolveFolder(folder);
  const isAllowed = (real: string | undefined) =>
    realFolder === undefined || (real !== undefined && isWithin(real, realFolder) && !isKernelPath(real));
  const real = await realpath(file).catch(() => undefined);
  if (!isAllowed(real)) throw missing();
  const location = real ?? file;
  await assertRegular(file, () => stat(location));
  const handle = await openFile(location).catch((error: unknown) => {
    throw createReadError(file, error);
  });
  try {
    await assertRegular(file, () => handle.stat());
    const opened = await findOpenedPath(handle, location);
    if (!isAllowed(opened)) throw missing();
    if (await isOwnFile(opened ?? location, own)) throw folder === undefined ? createOwnFileError(file) : missing();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

// The second flag keeps the open of a pipe from waiting for another process that writes to it. Windows does not have it.
function openForReading(file: string): Promise<FileHandle> {
  return open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
}

async function resolveFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => {
    throw createNodeError(
      'FILE_UNREADABLE',
      `No such folder: ${folder}. Create it, or change Folder in the node's properties.`,
    );
  });
}

// The files of these folders are views of the running system: environment variables with secrets, memory, devices.
function isKernelPath(real: string): boolean {
  return isWithin(real, '/proc') || isWithin(real, '/sys');
}

// Returns the path of an opened file without links, or `undefined` if it is not known.
async function findOpenedPath(handle: FileHandle, location: string): Promise<string | undefined> {
  const link = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (link !== undefined) return link;
  const [opened, named] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(location, { bigint: true }).catch(() => undefined),
  ]);
  const isSame = named !== undefined && named.dev === opened.dev && named.ino === opened.ino;
  const real = await realpath(location).catch(() => undefined);
  return isSame && real === location ? location : undefined;
}

async function assertRegular(file: string, readStats: () => ReturnType<typeof stat>): Promise<void> {
  const stats = await readStats().catch((error: unknown) => {
    throw createReadError(file, error);
  });
  if (stats.isFile()) return;
  const reason = stats.isDirectory()
    ? 'it is a folder. Send one message with the path of each file in it.'
    : 'it is not a regular file.';
  throw createNodeError('FILE_UNREADABLE', `Could not read "${file}": ${reason}`);
}

function createReadError(file: string, error: unknown): Error {
  const code = Object(error).code ?? error;
  return createNodeError('FILE_UNREADABLE', `Could not read "${file}": ${code}. Check the path and its permissions.`);
}

function createMissingError(file: string, folder: string | undefined): Error {
  const remedy = 'Check the path. Links that lead out of the folder and files of Node-RED are refused.';
  return createNodeError('FILE_UNREADABLE', `Could not read "${file}": no such file in ${folder}. ${remedy}`);
}

function createOwnFileError(file: string): Error {
  const remedy = 'Use a path outside of its user directory, or the path of a model.';
  return createNodeError('INPUT_INVALID', `Path refused: "${file}" belongs to Node-RED. ${remedy}`);
}

/**
 * Resolves the links in the path of a folder that a download writes to, whose last folders need not exist. Throws
 * `INPUT_INVALID` if they lead out of the folder of the scope.
 */
export async function resolveTargetFolder(target: string, folder: string): Promise<string> {
  const [real, realFolder] = await Promise.all([resolveExisting(target), resolveExisting(folder)]);
  if (isWithin(real, realFolder)) return real;
  throw createNodeError(
    'INPUT_INVALID',
    `Path outside the folder: a link in ${target} leads out of ${folder}. Use another path, or change Folder in the node's properties.`,
  );
}

async function resolveExisting(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  const parent = path.dirname(folder);
  if (real !== undefined || parent === folder) return real ?? folder;
  return path.join(await resolveExisting(parent), path.basename(folder));
}

/** Throws `INPUT_INVALID` if a download would write a file of Node-RED or of the local service. */
export async function assertNotOwnFile(file: string, own: OwnFiles): Promise<void> {
  const real = path.join(await resolveExisting(path.dirname(file)), path.basename(file));
  if (await isOwnFile(real, own)) throw createOwnFileError(file);
}
