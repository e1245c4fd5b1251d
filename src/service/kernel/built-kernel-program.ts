import { fileURLToPath } from 'node:url';

/** Returns the path of the built `kernel-process.js`, relative to `cli.js`, into which this module is bundled. */
export function builtKernelProgram(): string {
  return fileURLToPath(new URL('./service/kernel-process.js', import.meta.url));
}
