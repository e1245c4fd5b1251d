import path from 'node:path';
import { type CopyCounts, copyStore, requireEmptyFolder, restoreStore } from '../data-folder/copy-store.js';
import { openDataFolder } from '../data-folder/data-folder.js';
import { openSharedStore } from '../data-folder/open-data-store.js';
import { StartError } from '../start-error.js';
import { defaultDataFolder } from './default-data-folder.js';
import { type OptionTable, parseOptions, readPath } from './parse-options.js';
import { writeText } from './write-text.js';

const OPTIONS: OptionTable = { data: { type: 'string', isPath: true } };

function parseFolders(command: string, args: readonly string[]): { backup: string; data: string } {
  const { positionals, stringValues } = parseOptions(args, OPTIONS, process.env);
  const [backup, ...more] = positionals;
  if (backup === undefined || more.length > 0) {
    throw new StartError('USAGE', `Invalid arguments of ${command}: expected the folder of the backup.`);
  }
  return {
    backup: path.resolve(readPath('folder of the backup', backup)),
    data: path.resolve(stringValues.get('data') ?? defaultDataFolder()),
  };
}

function formatCounts({ copied, bytes, deleted, damaged }: CopyCounts, folder: string): string {
  const lines = [`Copied ${copied} files and models (${bytes} bytes) to ${folder}.`];
  if (deleted > 0) lines.push(`${deleted} were deleted meanwhile.`);
  if (damaged > 0) lines.push(`${damaged} are damaged: their content is missing, unreadable or was altered.`);
  return lines.join(' ');
}

/** Prints what was copied. Resolves with the exit status: 1 if a file is damaged. */
async function report(counts: CopyCounts, folder: string): Promise<number> {
  await writeText(process.stdout, `${formatCounts(counts, folder)}\n`);
  return counts.damaged > 0 ? 1 : 0;
}

/** Runs `model-processing backup`. Resolves with the exit status; throws `StartError` or the error of the disk. */
export async function backupCommand(args: readonly string[]): Promise<number> {
  const { backup, data } = parseFolders('backup', args);
  await requireEmptyFolder(backup);
  const store = await openSharedStore(data);
  try {
    return await report(await copyStore(store, data, backup), backup);
  } finally {
    await store.destroy();
  }
}

/** Runs `model-processing restore`. Resolves with the exit status; throws `StartError` or the error of the disk. */
export async function restoreCommand(args: readonly string[]): Promise<number> {
  const { backup, data } = parseFolders('restore', args);
  await requireEmptyFolder(data);
  const locked = await openDataFolder(data);
  try {
    return await report(await restoreStore(backup, data), data);
  } finally {
    locked.release();
  }
}
