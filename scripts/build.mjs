// Builds `dist`: `tsc -b` emits api, client and nodes; esbuild bundles the command line and the kernel process, which then need nothing but Node
// and the native packages; the editor halves, locales and icons are copied beside the nodes. The licences of what was bundled are put beside it.
// `--clean` removes earlier output first.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeThirdPartyNotices } from './third-party.mjs';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const at = (...parts) => path.join(root, ...parts);

if (process.argv.includes('--clean')) {
  rmSync(at('dist'), { recursive: true, force: true });
  rmSync(at('build'), { recursive: true, force: true });
}

const tsc = at('node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-b', at('nodes'), at('src')], { stdio: 'inherit', cwd: root });

// Some bundled packages are CommonJS and ask for require(), or for the folder that they lie in.
const commonJsBanner = `import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __fileURLToPath } from 'node:url';
const require = __createRequire(import.meta.url);
const __dirname = __fileURLToPath(new URL('.', import.meta.url));`;

// The kernel's program is what tells one version of its outputs from another: the libraries that it loads belong to that.
const { dependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const kernelBanner = `${commonJsBanner}\n// With ${JSON.stringify(dependencies)}`;

const bundle = (entry, outdir, more = {}) =>
  build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['libsql', 'occt-import-js', 'assimpjs', 'rhino3dm', 'web-ifc'],
    banner: { js: commonJsBanner },
    legalComments: 'linked',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    metafile: true,
    ...more,
  });

// The kernel process is started for a job, so what few jobs need is in files of its own; they are named by their content.
rmSync(at('dist/src/service'), { recursive: true, force: true });
const bundles = await Promise.all([
  bundle('src/cli.ts', 'dist/src'),
  bundle('src/service/kernel-process.ts', 'dist/src/service', {
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: { js: kernelBanner },
  }),
]);
// Its program looks for it beside itself.
cpSync(at('node_modules/draco3dgltf/draco_decoder_gltf.wasm'), at('dist/src/service/draco_decoder_gltf.wasm'));
writeThirdPartyNotices(
  root,
  bundles.map(({ metafile }) => metafile),
);
chmodSync(at('dist/src/cli.js'), 0o755);

const isEditorHalf = (source) => !/\.ts$|tsconfig\.json$|[\\/]shared([\\/]|$)/.test(source);
cpSync(at('nodes'), at('dist/nodes'), { recursive: true, filter: isEditorHalf });
if (existsSync(at('icons'))) cpSync(at('icons'), at('dist/nodes/icons'), { recursive: true });
