// Builds `dist`: `tsc -b` emits api, client and nodes; esbuild bundles the command line and the kernel process, each into one
// file that needs nothing but Node and the native packages; the editor halves, locales and icons are copied beside the nodes.
// `--clean` removes earlier output first.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const at = (...parts) => path.join(root, ...parts);

if (process.argv.includes('--clean')) {
  rmSync(at('dist'), { recursive: true, force: true });
  rmSync(at('build'), { recursive: true, force: true });
}

const tsc = at('node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-b', at('nodes'), at('src')], { stdio: 'inherit', cwd: root });

// Some bundled packages are CommonJS and ask for require().
const requireBanner =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);";

const bundle = (entry, outfile) =>
  build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['libsql', 'occt-import-js', 'assimpjs', 'rhino3dm', 'web-ifc'],
    banner: { js: requireBanner },
    legalComments: 'linked',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });

await Promise.all([
  bundle('src/cli.ts', 'dist/src/cli.js'),
  bundle('src/service/kernel-process.ts', 'dist/src/service/kernel-process.js'),
]);
chmodSync(at('dist/src/cli.js'), 0o755);

const isEditorHalf = (source) => !/\.ts$|tsconfig\.json$|[\\/]shared([\\/]|$)/.test(source);
cpSync(at('nodes'), at('dist/nodes'), { recursive: true, filter: isEditorHalf });
if (existsSync(at('icons'))) cpSync(at('icons'), at('dist/nodes/icons'), { recursive: true });
