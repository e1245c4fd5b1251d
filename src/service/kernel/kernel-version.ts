import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * Computes the version of the kernel, a part of the cache key: with the same version, the same job on the same bytes
 * has the same output. It covers the kernel program, whose entry file names its chunks by their content hashes, and the
 * version of Node, which library readers depend on.
 */
export async function kernelVersion(program: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(program));
  return hash.update(`${process.version} ${process.arch}`).digest('hex').slice(0, 32);
}
