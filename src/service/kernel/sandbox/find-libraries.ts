import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A file outside of a sandbox, and its path inside. */
export interface BoundFile {
  source: string;
  target: string;
}

/** The folder of the libraries in a sandbox. */
export const LIBRARY_FOLDER = '/lib';

// "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f…)"; the loader also without a name: "/lib64/ld-linux.so.2 (0x…)".
const LIBRARY = /^\s*(?:(.+) => )?(\/.+) \(0x[0-9a-f]+\)$/gm;

/** Parses the output of `ldd`. A library is placed in `LIBRARY_FOLDER`; the loader keeps its path, which programs contain. */
export function parseLibraries(output: string): BoundFile[] {
  return [...output.matchAll(LIBRARY)].map(([, name, source = '']) => {
    const needed = name ?? source;
    return { source, target: needed.startsWith('/') ? needed : `${LIBRARY_FOLDER}/${needed}` };
  });
}

/** Returns the shared libraries that a program loads when it starts; none if it is linked statically. */
export async function findLibraries(program: string): Promise<BoundFile[]> {
  const { stdout } = await promisify(execFile)('ldd', [program]).catch(() => ({ stdout: '' }));
  return parseLibraries(stdout);
}
