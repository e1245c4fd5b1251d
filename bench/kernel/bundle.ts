import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const FOLDER = path.join(HERE, '../../build/bench');

/**
 * Bundles a program of a folder, by default of this one, like the programs of the package. Returns the path of the bundle
 * in the build folder.
 */
export async function bundle(name: string, folder = HERE): Promise<string> {
  const outfile = path.join(FOLDER, `${name}.mjs`);
  await build({
    entryPoints: [path.join(folder, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['occt-import-js', 'assimpjs', 'rhino3dm', 'web-ifc'],
  });
  return outfile;
}
