import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';

/** What the journal does with files: those of Node, or others that fail where a test wants it. */
export const FILE_FUNCTIONS = {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
};

export type FileFunctions = typeof FILE_FUNCTIONS;

/** They open no file for writing. */
export const READ_ONLY_FILES: FileFunctions = {
  ...FILE_FUNCTIONS,
  openSync: (path, flags, mode) => {
    if (flags === constants.O_RDONLY) return openSync(path, flags, mode);
    throw Object.assign(new Error('EROFS: "readOnly" is set in settings.js'), { code: 'EROFS' });
  },
};

/** Nobody else may read them: they hold messages. */
export const FILE_MODE = 0o600;

/** Writes all of `bytes` from `offset` on. A call of the system may write less than it was given. */
export function writeAll(files: FileFunctions, file: number, bytes: Buffer, offset: number): void {
  for (let done = 0; done < bytes.length; )
    done += files.writeSync(file, bytes, done, bytes.length - done, offset + done);
}

/** Reads `length` bytes from `offset` on; fewer where the file ends before. */
export function readUpTo(files: FileFunctions, file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  for (let count = -1; done < length && count !== 0; done += count)
    count = files.readSync(file, bytes, done, length - done, offset + done);
  return bytes.subarray(0, done);
}

const REMEDIES: Record<string, string> = {
  EACCES: 'Give the user that runs Node-RED access to it.',
  EDQUOT: 'Free space, or raise the quota.',
  EIO: 'Check the disk.',
  EISDIR: 'Remove the folder of that name.',
  EMFILE: 'Raise the limit of open files (ulimit -n).',
  ENFILE: 'Raise the limit of open files of the machine.',
  ENOENT: 'Create the user directory.',
  ENOSPC: 'Free space on the disk.',
  EPERM: 'Give the user that runs Node-RED access to it.',
  EROFS: 'Make it writable.',
};

/** Returns the reason and the remedy of what the system refused, as two sentences. */
export function describeFileProblem(error: unknown): string {
  const { code, message } = Object(error);
  return `${message}. ${REMEDIES[String(code)] ?? 'Check the disk.'}`;
}
