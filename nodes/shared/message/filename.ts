import path from 'node:path';
import type { NodeMessage } from 'node-red';
import { asRecord, filenameOf, isNonBlankString } from './message-input.js';

/** The last part of a path of any system. */
export function baseName(name: string): string {
  return path.posix.basename(name.replaceAll('\\', '/'));
}

/** Where the name of a file to upload is looked for, first hit wins: the setting, the message, the path's own name. */
export function findFilename(setting: unknown, msg: NodeMessage, filePath?: string): string | undefined {
  const files = asRecord(msg.req).files;
  const uploaded = Array.isArray(files) ? asRecord(files[0]).originalname : undefined;
  const match = [setting, msg.filename, asRecord(msg.file).name, uploaded, filePath].find(isNonBlankString);
  return match === undefined ? undefined : baseName(match);
}

/** The name of the file that a message is about, for an error's text. */
export function describedFilename(msg: NodeMessage): string | undefined {
  try {
    const match = [filenameOf(msg), msg.filename].find(isNonBlankString);
    return match === undefined ? undefined : baseName(match);
  } catch {
    // A property that throws when it is read may be the very error that is told.
    return undefined;
  }
}

/** The name with the extension of an export format; `stl-ascii` is a variant of `stl`. */
export function withExtensionOf(name: string, format: string): string {
  const extension = format.toLowerCase().replace(/-.*$/, '');
  return `${path.parse(name).name}.${extension}`;
}
