import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DownloadTarget } from '../../../src/client/index.js';
import { asRecord, filenameOf, isNonBlankString } from '../message/message-input.js';
import { OPERATIONS_WITHOUT_MODEL_FILE } from '../message/model-record.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/flow-node.js';

/** The settings that say where a download goes. */
export interface DownloadSettings {
  target: 'buffer' | 'file';
  path: string;
  pathType: string;
  exists: 'rename' | 'overwrite' | 'fail';
}

/**
 * Where a download goes. A path that ends with a separator, or is a folder, gets the file's own name. A relative one, and an empty
 * one, stay below `<userDir>/model-downloads`, which the client makes. `INPUT_INVALID`, `FILE_UNWRITABLE`.
 */
export async function readDownloadTarget(
  input: NodeInput<DownloadSettings>,
): Promise<{ target: DownloadTarget; filename: string | undefined }> {
  const { settings, msg, RED, evaluate } = input;
  // A picture of a model is not named as its file is: the service knows its name.
  const isOther = OPERATIONS_WITHOUT_MODEL_FILE.some((operation) => operation === asRecord(msg.payload).operation);
  const ownName = isOther ? undefined : filenameOf(msg);
  if (settings.target === 'buffer') return { target: { to: 'buffer' }, filename: ownName };
  const value = (await evaluate({ value: settings.path, type: settings.pathType })) ?? '';
  if (typeof value !== 'string')
    throw createNodeError('INPUT_INVALID', `the path to write to is of type ${typeof value}`);
  const downloads = path.join(RED.settings.userDir ?? path.join(os.homedir(), '.node-red'), 'model-downloads');
  const isBelow = !path.isAbsolute(value);
  const whole = path.resolve(downloads, value);
  if (isBelow && whole !== downloads && !whole.startsWith(downloads + path.sep))
    throw createNodeError('INPUT_INVALID', `the path "${value}" leads out of ${downloads}: give a whole path`);
  const isFolder = whole === downloads || /[\\/]$/.test(value) || (await isExistingFolder(whole));
  const folder = isFolder ? whole : path.dirname(whole);
  // Folders are made in model-downloads alone: a mistyped path, or a disk that is not mounted, should be told.
  if (!isBelow && !(await isExistingFolder(folder)))
    throw createNodeError('FILE_UNWRITABLE', `there is no folder ${folder} to write to`);
  const filename = isFolder ? ownName : path.basename(whole);
  const named = isNonBlankString(filename) ? { filename } : {};
  return { target: { to: 'file', folder, ...named, exists: settings.exists }, filename };
}

async function isExistingFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (match) => match.isDirectory(),
    () => false,
  );
}
