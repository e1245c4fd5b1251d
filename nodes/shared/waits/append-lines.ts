import { constants } from 'node:fs';
import { FILE_MODE, type FileFunctions, writeAll } from './file-functions.js';

const LINE_FEED = Buffer.from('\n');

/** Appends lines to a file, all or none, and syncs it. Throws the errors of the operating system. */
export function appendLines(path: string, lines: Buffer[], files: FileFunctions): void {
  const file = files.openSync(path, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
  try {
    const { size } = files.fstatSync(file);
    try {
      writeAll(files, file, Buffer.concat(lines.flatMap((line) => [line, LINE_FEED])), size);
      files.fsyncSync(file);
    } catch (error) {
      files.ftruncateSync(file, size);
      throw error;
    }
  } finally {
    files.closeSync(file);
  }
}
