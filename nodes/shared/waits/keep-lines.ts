import { constants } from 'node:fs';
import { FILE_MODE, type FileFunctions, writeAll } from './file-functions.js';

const LINE_FEED = Buffer.from('\n');

/** Adds lines to the end of a file, all or none, and syncs it. Throws what the system throws. */
export function keepLines(path: string, lines: Buffer[], files: FileFunctions): void {
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
