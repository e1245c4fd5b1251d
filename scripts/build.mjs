// Builds `dist`. `tsc -b` emits api, client and nodes. esbuild bundles the command line and the kernel process, which
// then need only Node and the native packages. Editor halves, locales and icons are copied next to the nodes, and the
// licenses of bundled packages are written. `--clean` removes earlier output first. With KEEP_BUILD=1 nothing is done:
// the gate builds once, and then runs suites side by side, which a build would deprive of their files.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { readNotice, writeThirdPartyNotices } from './third-party.mjs';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
function toPath(...parts) {
  return path.join(root, ...parts);
}

if (process.env.KEEP_BUILD === '1') process.exit(0);

if (process.argv.includes('--clean')) {
  rmSync(toPath('dist'), { recursive: true, force: true });
  rmSync(toPath('build'), { recursive: true, force: true });
}

const tsc = toPath('node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-b', toPath('nodes'), toPath('src')], { stdio: 'inherit', cwd: root });

// Some bundled packages are CommonJS and use require() or __dirname.
const commonJsBanner = `import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __fileURLToPath } from 'node:url';
const require = __createRequire(import.meta.url);
const __dirname = __fileURLToPath(new URL('.', import.meta.url));`;

// The hash of the kernel program identifies the version of its outputs, which also depend on the libraries that it
// loads.
const { dependencies } = JSON.parse(readFileSync(toPath('package.json'), 'utf8'));
const kernelBanner = `${commonJsBanner}\n// With ${JSON.stringify(dependencies)}`;

const NATIVE_PACKAGES = ['libsql', 'occt-import-js', 'assimpjs', 'rhino3dm', 'web-ifc', 'pg-native'];
// What Fastify loads only if an app has no compilers of its own: see request-validation.ts.
const UNUSED_PACKAGES = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];

function bundle(entry, outdir, more = {}) {
  return build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: '[name]-[hash]',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: [...NATIVE_PACKAGES, ...UNUSED_PACKAGES],
    banner: { js: commonJsBanner },
    legalComments: 'linked',
    sourcemap: 'linked',
    sourcesContent: false,
    // Saves two of seven megabytes. Names remain, for stack traces.
    minifyWhitespace: true,
    lineLimit: 200,
    logLevel: 'warning',
    metafile: true,
    ...more,
  });
}

// The viewer is a module for pages, and part of HTML reports: there, a script after it uses its names. Pages and
// reports are passed on without the package, so the bundle contains the licenses of its parts.
function bundleViewer() {
  const notices = ['node_modules/three', 'node_modules/meshoptimizer'].map((folder) => readNotice(toPath(folder)));
  return build({
    absWorkingDir: root,
    entryPoints: ['src/viewer/index.ts'],
    outfile: 'resources/viewer.js',
    bundle: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    globalName: 'modelViewer',
    banner: { js: `/*\n${notices.join('\n')}*/` },
    footer: { js: 'export const { createViewer, PreviewError, ENGLISH, GERMAN } = modelViewer;' },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
}

// The page of the service: one script and one style sheet, which load nothing from elsewhere.
function bundleWeb() {
  return build({
    absWorkingDir: root,
    entryPoints: { app: 'src/web/main.ts' },
    outdir: 'dist/web',
    bundle: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
}

// Code that few commands or jobs need goes to separate chunks, named by content: a process that never loads them is
// smaller. In dist/src, tsc writes folders and esbuild files.
rmSync(toPath('dist/src/service'), { recursive: true, force: true });
for (const entry of readdirSync(toPath('dist/src'), { withFileTypes: true })) {
  if (entry.isFile()) rmSync(toPath('dist/src', entry.name));
}
const bundles = await Promise.all([
  bundle('src/cli.ts', 'dist/src'),
  bundle('src/service/kernel-process.ts', 'dist/src/service', { banner: { js: kernelBanner } }),
  bundleViewer(),
  bundleWeb(),
]);
cpSync(toPath('src/web/static'), toPath('dist/web'), { recursive: true });
// The Draco decoder looks for this file next to itself.
cpSync(toPath('node_modules/draco3dgltf/draco_decoder_gltf.wasm'), toPath('dist/src/service/draco_decoder_gltf.wasm'));
writeThirdPartyNotices(
  root,
  bundles.map(({ metafile }) => metafile),
);
chmodSync(toPath('dist/src/cli.js'), 0o755);

function isEditorHalf(source) {
  return !/\.ts$|tsconfig\.json$|[\\/]shared([\\/]|$)/.test(source);
}
cpSync(toPath('nodes'), toPath('dist/nodes'), { recursive: true, filter: isEditorHalf });
cpSync(toPath('plugins'), toPath('dist/plugins'), { recursive: true });
if (existsSync(toPath('icons'))) cpSync(toPath('icons'), toPath('dist/nodes/icons'), { recursive: true });
