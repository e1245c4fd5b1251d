import { setFlagsFromString } from 'node:v8';
import { MeshError } from '../../core/mesh-error.js';

// What WebAssembly, its loaders and C++ say where memory does not suffice.
const OUT_OF_MEMORY = /out of memory|oom|bad_alloc|allocat|enlarge memory|invalid array length/i;

// What C++ throws arrives as a number or an object that tells nothing.
const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : 'it is damaged, or needs more memory than is at hand';

const tooLarge = (format: string, cause: unknown): MeshError =>
  new MeshError('TOO_LARGE', `Reading ${format} takes more memory than is at hand`, { cause });

/**
 * Runs what a library does with the bytes of a file. It breaks off in many ways where a file is not what it expects; here each becomes a
 * `MeshError`: `TOO_LARGE` for a lack of memory, else `FILE_MALFORMED`.
 */
export function callLibrary<T>(format: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof MeshError) throw cause;
    const words = describeError(cause);
    if (OUT_OF_MEMORY.test(words)) throw tooLarge(format, cause);
    throw new MeshError('FILE_MALFORMED', `This is no sound ${format}: its reader broke off (${words.slice(0, 200)})`, {
      cause,
    });
  }
}

/**
 * Has V8 compile WebAssembly by its quick compiler only. These programs are large and run once, for moments: to compile their busy functions a
 * second time, better, takes longer than it saves (STEP of an assembly: 2.0 s of the processor in place of 3.7, 113 MB in place of 249; only
 * meshing that takes minutes loses, a seventh). Elsewhere than on these processors the quick compiler may not know all instructions.
 */
function disableTierUp(): void {
  if (process.arch === 'x64' || process.arch === 'arm64') setFlagsFromString('--liftoff-only');
}

/**
 * Loads the package that reads a format. Rejects with `FORMAT_UNKNOWN`, and how to install it, where it is not there, and with `TOO_LARGE`
 * where it does not fit into the memory.
 */
export async function loadLibrary<T>(format: string, name: string, load: () => Promise<T>): Promise<T> {
  disableTierUp();
  try {
    return await load();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND') {
      const message = `${format} is read by the package ${name}, which is not installed here: npm install ${name}`;
      throw new MeshError('FORMAT_UNKNOWN', message, { cause });
    }
    if (OUT_OF_MEMORY.test(describeError(cause))) throw tooLarge(format, cause);
    throw cause;
  }
}

/**
 * Options for programs that print: nowhere. Our stdout is a channel between processes, and what a file makes a library say is not for it. New ones
 * each time, since a program makes itself of its options.
 */
export const silentOutput = () => ({ print: () => undefined, printErr: () => undefined });
