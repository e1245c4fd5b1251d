import path from 'node:path';
import type { NodeMessage } from 'node-red';
import { expandHome, findUserDir } from '../local-path.js';
import { asRecord, isNonBlankString } from '../message/message-input.js';
import { createNodeError } from '../node/flow-error.js';
import type { Field } from '../node/settings.js';

/** The types of a typed input whose value anyone can choose who sends the message. `str` and `env` are the author's. */
const RUN_TIME_TYPES = new Set(['msg', 'flow', 'global', 'jsonata']);

/** Properties that mark a message from a client: *http in*, *websocket in*, *tcp in* and dashboards add them. */
const CLIENT_PROPERTIES = ['req', 'res', '_session', '_client'];

/** Creates the property of the folder that paths of messages stay in. `undefined`: saved before it existed. */
export function folderField(): Field<string | undefined> {
  return {
    value: '',
    read: (saved) => {
      if (saved === undefined) return undefined;
      return typeof saved === 'string' ? saved.trim() : '';
    },
  };
}

/** Returns whether the value of a typed input becomes known only at run time. */
export function isRunTimeType(type: string): boolean {
  return RUN_TIME_TYPES.has(type);
}

/**
 * Returns the folder of the paths of an upload. Default: `fileWorkingDirectory` of settings.js, or else `model-files`
 * in the user directory, where relative folders start.
 */
export function findSourceFolder(setting: string, settings: object): string {
  return resolveFolder(setting, settings) ?? findWorkingDirectory(settings) ?? defaultFolder(settings, 'model-files');
}

/** Returns the folder of the paths of a download. Default: `model-downloads` in the user directory. */
export function findTargetFolder(setting: string, settings: object): string {
  return resolveFolder(setting, settings) ?? defaultFolder(settings, 'model-downloads');
}

function resolveFolder(setting: string, settings: object): string | undefined {
  return setting === '' ? undefined : path.resolve(findUserDir(settings), expandHome(setting));
}

function defaultFolder(settings: object, name: string): string {
  return path.join(findUserDir(settings), name);
}

/** Returns `fileWorkingDirectory` of settings.js, where relative paths start in the core nodes for files. */
export function findWorkingDirectory(settings: object): string | undefined {
  const { fileWorkingDirectory } = asRecord(settings);
  return isNonBlankString(fileWorkingDirectory) ? path.resolve(fileWorkingDirectory) : undefined;
}

/**
 * Throws `INPUT_INVALID` if a message comes from a client of the flow. For nodes without a folder, whose paths may lead
 * anywhere.
 */
export function assertNotFromClient(msg: NodeMessage, description: string): void {
  if (!CLIENT_PROPERTIES.some((name) => name in msg)) return;
  throw createNodeError(
    'INPUT_INVALID',
    `Path from a client refused: ${description}. Send the file itself, or set Folder in the node's properties.`,
  );
}

/** The settings that tell whether a node has paths that are known only at run time. */
interface PathSettings {
  folder: string | undefined;
  sourceType?: string;
  target?: string;
  pathType?: string;
}

/**
 * Returns the warning of a node that was saved before it had a folder and takes paths that are known only at run time.
 */
export function findFolderWarning({ folder, sourceType, target, pathType }: PathSettings): string | undefined {
  if (folder !== undefined) return undefined;
  const isReading = sourceType !== undefined && isRunTimeType(sourceType);
  const isWriting = target === 'file' && pathType !== undefined && isRunTimeType(pathType);
  if (!isReading && !isWriting) return undefined;
  const verb = isReading ? (isWriting ? 'read and write' : 'read') : 'write';
  return `Folder not set: paths in messages can ${verb} any file. Open the node, check Folder, choose Done and deploy.`;
}
