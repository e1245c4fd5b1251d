import { rmSync } from 'node:fs';
import { copyDataFolder, createFolder } from './data-folder.js';
import { startService } from './running.js';

let template: Promise<string> | undefined;

/** Creates the data folder of a service that was started once. It is removed when this process ends. */
async function createTemplate(): Promise<string> {
  const folder = await createFolder();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await (await startService(folder)).close();
  return folder;
}

/**
 * Copies an account and an empty database into a folder, as the first start of a service creates them. A service in a
 * process of its own then has no password to hash, and the one of the account costs next to nothing to check. The folder
 * that is copied is created once in a process.
 */
export async function copyTemplate(folder: string): Promise<void> {
  template ??= createTemplate();
  await copyDataFolder(await template, folder);
}
