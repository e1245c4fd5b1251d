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

/** The file functions of Node.js that the journal uses. Tests replace them by functions that fail. */
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

/** The file functions that the journal uses. */
export type FileFunctions = typeof FILE_FUNCTIONS;

/** File functions that open files for reading only, for `readOnly` in `settings.js`. */
export const READ_ONLY_FILES: FileFunctions = {
  ...FILE_FUNCTIONS,
  openSync: (path, flags, mode) => {
    if (flags === constants.O_RDONLY) return openSync(path, flags, mode);
    throw Object.assign(new Error('EROFS: "readOnly" is set in settings.js'), { code: 'EROFS' });
  },
};

/** File mode: only the owner has access, since the files contain messages. */
export const FILE_MODE = 0o600;

/** Writes all of `bytes` from `offset` on. A system call may write fewer bytes than requested. */
export function writeAll(files: FileFunctions, file: number, bytes: Buffer, offset: number): void {
  for (let written = 0; written < bytes.length; )
    written += files.writeSync(file, bytes, written, bytes.length - written, offset + written);
}

/** Reads `length` bytes from `offset` on, or fewer if the file ends before. */
export function readUpTo(files: FileFunctions, file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let total = 0;
  for (let count = -1; total < length && count !== 0; total += count)
    count = files.readSync(file, bytes, total, length - total, offset + total);
  return bytes.subarray(0, total);
}

/** Error code of the operating system → remedy. */
const REMEDIES: Record<string, string> = {
  EACCES: 'Grant access to the user that runs Node-RED.',
  EDQUOT: 'Free space, or raise the quota.',
  EIO: 'Check the disk.',
  EISDIR: 'Remove the folder of that name.',
  EMFILE: 'Raise the limit of open files (ulimit -n).',
  ENFILE: 'Raise the limit of open files of the machine.',
  ENOENT: 'Create the user directory.',
  ENOSPC: 'Free space on the disk.',
  EPERM: 'Grant access to the user that runs Node-RED.',
  EROFS: 'Make it writable.',
};

/** Returns the reason and the remedy of an error of the operating system, as two sentences. */
export function describeFileProblem(error: unknown): string {
  const { code, message } = Object(error);
  return `${message}. ${REMEDIES[String(code)] ?? 'Check the disk.'}`;
}
