import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { DownloadTarget } from '../../../src/client/index.js';
import { safeFilename } from '../../../src/client/transfers/safe-filename.js';
import { assertNoUrl, expandHome } from '../local-path.js';
import { asRecord, filenameOf, isNonBlankString } from '../message/message-input.js';
import { checkTargetPath } from '../node/field-rules.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/node-input.js';
import { OPERATIONS_WITHOUT_MODEL_FILE } from '../operations.generated.js';
import { assertNotOwnFile, isWithin, resolveBoundPath, resolveTargetFolder } from './bound-path.js';
import { findTargetFolder, isRunTimeType } from './folder-setting.js';
import { readOwnFiles } from './own-files.js';

/** The settings of the destination of a download. */
export interface DownloadSettings {
  target: 'buffer' | 'file';
  path: string;
  pathType: string;
  folder: string | undefined;
  exists: 'rename' | 'overwrite' | 'fail';
}

/**
 * Reads the destination of a download. White space at the end of a path is ignored, unless there is such a file. In a
 * path that ends with a separator, or is an existing folder, the file keeps its name. Relative and empty paths are
 * resolved in the folder of the node, `~` is the home folder. A path that is known only at run time must stay in that
 * folder, unless the node was saved before it had one. Throws `INPUT_INVALID` for a URL and for a path that leads out
 * of the folder, `FILE_UNWRITABLE` if the folder of an absolute path is missing.
 */
export async function readDownloadTarget(
  input: NodeInput<DownloadSettings>,
): Promise<{ target: DownloadTarget; filename: string | undefined }> {
  const { settings, msg, RED, evaluate } = input;
  // A thumbnail does not have the name of the model file. Its name comes from the service.
  const isModelFile = !OPERATIONS_WITHOUT_MODEL_FILE.some((operation) => operation === asRecord(msg.payload).operation);
  const ownName = isModelFile ? filenameOf(msg) : undefined;
  if (settings.target === 'buffer') return { target: { to: 'buffer' }, filename: ownName };
  const evaluated = (await evaluate({ value: settings.path, type: settings.pathType })) ?? '';
  if (typeof evaluated !== 'string')
    throw createNodeError('INPUT_INVALID', `Invalid path: expected a string, not a value of type ${typeof evaluated}.`);
  assertNoUrl(evaluated, 'path', 'To send the file, download it as a Buffer to an http request node.');
  const base = findTargetFolder(settings.folder ?? '', RED.settings);
  const isRunTime = isRunTimeType(settings.pathType);
  const isBound = isRunTime && settings.folder !== undefined;
  const resolve = async (name: string) => (isBound ? resolveBoundPath(name, base) : resolveTarget(name, base));
  const value = await trimPath(evaluated, resolve);
  const resolved = await resolve(value);
  const isFolder = resolved === base || /[\\/]$/.test(value) || (await isExistingFolder(resolved));
  const namedFolder = isFolder ? resolved : path.dirname(resolved);
  const folder = isBound ? await resolveTargetFolder(namedFolder, base) : namedFolder;
  await assertFolderExists(folder, value, settings.folder ? base : undefined);
  const filename = isFolder ? ownName : path.basename(resolved);
  // A path and a name that are fixed in the flow are its author's choice. The client writes the safe form of a name.
  const writtenName = isRunTime || isFolder ? safeFilename(filename ?? '') : undefined;
  if (writtenName !== undefined) await assertNotOwnFile(path.join(folder, writtenName), readOwnFiles(RED.settings));
  const filenameField = isNonBlankString(filename) ? { filename } : {};
  return { target: { to: 'file', folder, ...filenameField, exists: settings.exists }, filename };
}

function resolveTarget(value: string, base: string): string {
  const file = expandHome(value);
  const resolved = path.resolve(base, file);
  if (path.isAbsolute(file) || (!checkTargetPath(file) && isWithin(resolved, base))) return resolved;
  throw createNodeError('INPUT_INVALID', `Invalid path "${value}": it leads out of ${base}. Use an absolute path.`);
}

// Only folders of relative paths are created, and `model-downloads`. Elsewhere, a missing folder is a mistyped path or
// an unmounted disk.
async function assertFolderExists(folder: string, value: string, chosenFolder: string | undefined): Promise<void> {
  const required = path.isAbsolute(expandHome(value)) ? folder : chosenFolder;
  if (required === undefined || (await isExistingFolder(required))) return;
  throw createNodeError(
    'FILE_UNWRITABLE',
    `Could not write to "${required}": there is no such folder. Create it, or change the path in the node's properties.`,
  );
}

// A path that a program printed ends with a line end. A file or folder may really end so.
async function trimPath(value: string, resolve: (name: string) => Promise<string>): Promise<string> {
  const trimmed = value.trimEnd();
  if (trimmed === value) return value;
  const existing = await stat(await resolve(value)).catch(() => undefined);
  return existing ? value : trimmed;
}

async function isExistingFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
