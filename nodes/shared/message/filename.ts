import path from 'node:path';
import type { NodeMessage } from 'node-red';
import { decodeFormName } from './form-files.js';
import { asRecord, filenameOf, isNonBlankString } from './message-input.js';

/** Returns the last segment of a POSIX or Windows path. */
export function baseName(name: string): string {
  return path.posix.basename(name.replaceAll('\\', '/'));
}

/**
 * Finds the filename of an upload, without folders and white space around it. The first that is set is used:
 * the setting, `msg.filename`, `msg.file.name`, the name of the first file in `msg.req.files`, the name in `filePath`.
 */
export function findFilename(setting: unknown, msg: NodeMessage, filePath?: string): string | undefined {
  const [formFilename] = listFormNames(msg);
  const match = [setting, msg.filename, asRecord(msg.file).name, formFilename, filePath].find(isNonBlankString);
  return match === undefined ? undefined : toFilename(match, msg);
}

function listFormNames(msg: NodeMessage): unknown[] {
  const { files } = asRecord(msg.req);
  return Array.isArray(files) ? files.map((file) => asRecord(file).originalname) : [];
}

// A flow may have copied the name of a file of a form to another property.
function toFilename(name: string, msg: NodeMessage): string {
  return baseName((listFormNames(msg).includes(name) ? decodeFormName(name) : name).trim());
}

/** Finds the filename for the error texts of a message, without folders. Never throws. */
export function describedFilename(msg: NodeMessage): string | undefined {
  try {
    const match = [filenameOf(msg), msg.filename].find(isNonBlankString);
    return match === undefined ? undefined : toFilename(match, msg);
  } catch {
    // A getter in the message may throw. It may also be the cause of the error that is being formatted.
    return undefined;
  }
}

/**
 * Replaces the extension of a filename by that of an export format. A variant such as `stl-ascii` has the extension of
 * `stl`.
 */
export function withExtensionOf(name: string, format: string): string {
  const extension = format.toLowerCase().replace(/-.*$/, '');
  return `${path.parse(name).name}.${extension}`;
}
