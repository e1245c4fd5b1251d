/** Error code of the system → its cause and what to do, for errors that do not depend on what was attempted. */
const SHORTAGES: Record<string, string> = {
  EMFILE: 'too many files are open. Raise the limit of open files (ulimit -n)',
  ENFILE: 'too many files are open on this machine. Raise its limit (fs.file-max)',
  ENOMEM: 'memory is short. Add memory, or lower --workers or --memory',
  EAGAIN: 'the limit of processes is reached. Raise it (ulimit -u, or the limit of pids of the container)',
};

/** Returns the code of an error, such as `EACCES` or `SQLITE_FULL`. Returns `undefined` if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the path of the file or program that an error is about. Returns `undefined` if it has none. */
export function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

/** Returns the cause and the remedy of an error, if the machine is short of something, as the end of a sentence. */
export function describeShortage(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && Object.hasOwn(SHORTAGES, code) ? SHORTAGES[code] : undefined;
}
