import path from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a kernel process of the tests into a folder, like the one of the package. Returns the path of the bundle. A
 * process that compiled its modules itself would need more memory than its limit.
 */
export async function bundleKernel(name: string, folder: string): Promise<string> {
  const outfile = path.join(folder, `${name}.mjs`);
  const entryPoints = [path.resolve('test/service/support/kernels', `${name}.mjs`)];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm' });
  return outfile;
}
