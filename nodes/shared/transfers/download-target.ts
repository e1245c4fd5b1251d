import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DownloadTarget } from '../../../src/client/index.js';
import { assertNoUrl, expandHome } from '../local-path.js';
import { asRecord, filenameOf, isNonBlankString } from '../message/message-input.js';
import { checkTargetPath } from '../node/field-rules.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/node-input.js';
import { OPERATIONS_WITHOUT_MODEL_FILE } from '../operations.generated.js';

/** The settings of the destination of a download. */
export interface DownloadSettings {
  target: 'buffer' | 'file';
  path: string;
  pathType: string;
  exists: 'rename' | 'overwrite' | 'fail';
}

/**
 * Reads the destination of a download. In a path that ends with a separator, or is an existing folder, the file keeps
 * its name. Relative and empty paths are resolved in `<userDir>/model-downloads`, which the client creates; `~` is the
 * home folder. Throws `INPUT_INVALID` for a URL and for a relative path that leads out of that folder,
 * `FILE_UNWRITABLE` if the folder of an absolute path is missing.
 */
export async function readDownloadTarget(
  input: NodeInput<DownloadSettings>,
): Promise<{ target: DownloadTarget; filename: string | undefined }> {
  const { settings, msg, RED, evaluate } = input;
  // A thumbnail does not have the name of the model file. Its name comes from the service.
  const isModelFile = !OPERATIONS_WITHOUT_MODEL_FILE.some((operation) => operation === asRecord(msg.payload).operation);
  const ownName = isModelFile ? filenameOf(msg) : undefined;
  if (settings.target === 'buffer') return { target: { to: 'buffer' }, filename: ownName };
  const value = (await evaluate({ value: settings.path, type: settings.pathType })) ?? '';
  if (typeof value !== 'string')
    throw createNodeError('INPUT_INVALID', `Invalid path: expected a string, not a value of type ${typeof value}.`);
  assertNoUrl(value, 'path', 'To send the file, download it as a Buffer to an http request node.');
  const file = expandHome(value);
  const downloads = path.join(RED.settings.userDir ?? path.join(os.homedir(), '.node-red'), 'model-downloads');
  const isRelative = !path.isAbsolute(file);
  const resolved = path.resolve(downloads, file);
  const isInside = resolved === downloads || resolved.startsWith(downloads + path.sep);
  if (isRelative && (checkTargetPath(file) || !isInside))
    throw createNodeError(
      'INPUT_INVALID',
      `Invalid path "${value}": it leads out of ${downloads}. Use an absolute path.`,
    );
  const isFolder = resolved === downloads || /[\\/]$/.test(file) || (await isExistingFolder(resolved));
  const folder = isFolder ? resolved : path.dirname(resolved);
  // Folders are created in model-downloads only. Elsewhere, a missing folder is a mistyped path or an unmounted disk.
  if (!isRelative && !(await isExistingFolder(folder)))
    throw createNodeError(
      'FILE_UNWRITABLE',
      `Could not write to ${folder}: there is no such folder. Create it, or change the path in the node's properties.`,
    );
  const filename = isFolder ? ownName : path.basename(resolved);
  const filenameField = isNonBlankString(filename) ? { filename } : {};
  return { target: { to: 'file', folder, ...filenameField, exists: settings.exists }, filename };
}

async function isExistingFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
