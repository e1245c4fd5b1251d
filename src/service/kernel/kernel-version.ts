import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * Names what makes the outputs of jobs: the same for as long as the same job on the same bytes gives the same bytes. It changes with every change
 * of the kernel program, whose first file names the others by their content, and with Node, whose own functions the readers that are libraries rely on.
 */
export async function kernelVersion(program: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(program));
  return hash.update(`${process.version} ${process.arch}`).digest('hex').slice(0, 32);
}
