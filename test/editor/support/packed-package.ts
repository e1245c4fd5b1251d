import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { installTarball, packPackage } from '../../helpers/packed-package.js';

let folder: string | undefined;
let installation: Promise<string> | undefined;

/**
 * Returns the path of a user directory of Node-RED in which the packed package is installed. Only the first call of a
 * run packs and installs it, which takes minutes on a busy machine. Suites copy the directory, and do not change it.
 */
export function installPackedPackage(): Promise<string> {
  installation ??= packAndInstall();
  return installation;
}

async function packAndInstall(): Promise<string> {
  folder = await mkdtemp(path.join(os.tmpdir(), 'packed-package-'));
  const userDir = path.join(folder, 'user');
  await installTarball(userDir, await packPackage(folder));
  return userDir;
}

after(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});
