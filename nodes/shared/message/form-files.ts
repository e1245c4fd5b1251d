import { isUtf8 } from 'node:buffer';
import { createNodeError } from '../node/flow-error.js';
import { findBytes } from './bytes.js';
import { asRecord, isNonBlankString } from './message-input.js';

/** A file of a form, as in `msg.req.files` of an *http in* node: its content and its name. */
export interface FormFile {
  content: Uint8Array;
  /** As it is in the message. `decodeFormName` corrects it. */
  originalname: string;
}

/**
 * Returns the files in `value`, a file or a list of files. Empty for other values. Throws `INPUT_INVALID` with `description`
 * for an object with a path, such as a file that a parser of forms wrote to disk: a client of the flow could have sent the
 * same object.
 */
export function readFormFiles(value: unknown, description: string): FormFile[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => readFormFile(item, description) ?? []);
}

function readFormFile(item: unknown, description: string): FormFile | undefined {
  const file = asRecord(item);
  if ('path' in file)
    throw createNodeError(
      'INPUT_INVALID',
      `Path in an object refused: ${description}. Send the content as a Buffer, or select the path itself.`,
    );
  const { buffer, originalname } = file;
  const content = findBytes(buffer);
  return content && isNonBlankString(originalname) ? { content, originalname } : undefined;
}

/**
 * Returns the name of a file of a form as the client sent it. Browsers send UTF-8, which the parser of the *http in*
 * node (multer) decodes as Latin-1. Other names are returned unchanged.
 */
export function decodeFormName(name: string): string {
  const isLatin1 = [...name].every((character) => character <= '\xff');
  const isAscii = [...name].every((character) => character <= '\x7f');
  if (!isLatin1 || isAscii) return name;
  const bytes = Buffer.from(name, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : name;
}
