import { fileURLToPath } from 'node:url';

/** `kernel-process.js` as the build lays it beside `cli.js`, the one file that this is bundled into. */
export function builtKernelProgram(): string {
  return fileURLToPath(new URL('./service/kernel-process.js', import.meta.url));
}
