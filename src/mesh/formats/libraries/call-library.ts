import { setFlagsFromString } from 'node:v8';
import { MeshError } from '../../core/mesh-error.js';

/** How much of a file `requireSignature` should be given. */
export const SNIFF_BYTES = 4096;
// Messages of WebAssembly, its loaders and C++ for insufficient memory.
const OUT_OF_MEMORY = /out of memory|oom|bad_alloc|allocat|enlarge memory|invalid array length/i;

// A C++ exception arrives as a number or an object without a message.
function describeError(error: unknown): string {
  return error instanceof Error ? error.message : 'the file is damaged or needs more memory than available';
}

function tooLargeError(format: string, cause: unknown): MeshError {
  return new MeshError('TOO_LARGE', `Could not read the ${format} file: not enough memory. Reduce the model first.`, {
    cause,
  });
}

/**
 * Runs library code on the bytes of a file. Converts whatever it throws to a `MeshError`: `TOO_LARGE` for insufficient
 * memory, else `FILE_MALFORMED`.
 */
export function callLibrary<T>(format: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof MeshError) throw cause;
    const reason = describeError(cause);
    if (OUT_OF_MEMORY.test(reason)) throw tooLargeError(format, cause);
    throw new MeshError('FILE_MALFORMED', `Invalid ${format}: the library failed (${reason.slice(0, 200)}).`, {
      cause,
    });
  }
}

/**
 * Makes V8 compile WebAssembly with the baseline compiler (Liftoff) only. These libraries are large and run once for a
 * short time, so optimizing their hot functions costs more than it saves (STEP of an assembly: 2.0 s of CPU time
 * instead of 3.7 s, 113 MB instead of 249 MB; only meshing that takes minutes is slower, by a seventh). On other
 * architectures Liftoff may not support all instructions.
 */
function disableTierUp(): void {
  if (process.arch === 'x64' || process.arch === 'arm64') setFlagsFromString('--liftoff-only');
}

/**
 * Loads the package that reads a format. Rejects with `FORMAT_UNKNOWN` and how to install it if it is missing, and with
 * `TOO_LARGE` if memory does not suffice.
 */
export async function loadLibrary<T>(format: string, name: string, load: () => Promise<T>): Promise<T> {
  disableTierUp();
  try {
    return await load();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND') {
      const message = `Could not read the ${format} file: the package ${name} is not installed. Run: npm install ${name}.`;
      throw new MeshError('FORMAT_UNKNOWN', message, { cause });
    }
    if (OUT_OF_MEMORY.test(describeError(cause))) throw tooLargeError(format, cause);
    throw cause;
  }
}

/**
 * Returns options that discard the output of a WebAssembly program, because stdout is a channel to the parent process.
 * Returns a new object per call: the program uses its options as its module object.
 */
export function silentOutput() {
  return { print: () => undefined, printErr: () => undefined };
}

/**
 * Throws `FILE_MALFORMED` unless the start of a file, decoded as Latin-1, matches the signature of the format. A library
 * should see no other content: it may search it forever, or try other formats.
 */
export function requireSignature(format: string, start: Uint8Array, signature: RegExp): void {
  if (signature.test(new TextDecoder('latin1').decode(start))) return;
  throw new MeshError('FILE_MALFORMED', `Invalid ${format}: it does not begin like one.`);
}
