import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { importFormatOf } from '../../../mesh/formats/registry.js';
import { isPackageInstalled } from '../../http/is-package-installed.js';
import { isUrl } from '../local-path.js';
import { isFolder } from './output-options.js';
import type { ProcessOptions } from './process-options.js';

/** A file to process. */
export interface InputFile {
  /** The path as the user gave it, or below a folder that the user gave. `-` for stdin. */
  name: string;
  /** The folder of a file that was found in an input folder, relative to that folder. */
  subfolder?: string;
  /** The model to read in an archive. Default: the only one. */
  entry?: string | undefined;
  /** Why a folder or a URL could not be read. */
  problem?: string;
}

/** The order of files in a folder, on every platform: by name, `part-2` before `part-10`. */
const NAME_ORDER = new Intl.Collator('en', { numeric: true });

function isKnown(filename: string): boolean {
  const format = importFormatOf(filename);
  return format !== undefined && (!format.needsPackage || isPackageInstalled(format.needsPackage));
}

/** Returns what a directory entry is. Links to files are files; links to folders are ignored, as they may form loops. */
async function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }, file: string) {
  if (entry.isDirectory()) return 'folder';
  if (entry.isFile()) return 'file';
  const isLinkToFile = entry.isSymbolicLink() && (await stat(file).catch(() => undefined))?.isFile();
  return isLinkToFile ? 'file' : 'other';
}

/** Finds the files in one input folder with a known extension, except hidden ones. */
async function listFolder(
  root: string,
  { isRecursive, shouldWrite, outputFolder }: ProcessOptions,
): Promise<InputFile[]> {
  const inputs: InputFile[] = [];
  const outputPath = shouldWrite ? path.resolve(outputFolder) : undefined;
  const list = async (folder: string, subfolder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    entries.sort((a, b) => NAME_ORDER.compare(a.name, b.name));
    for (const entry of entries) {
      const name = path.join(folder, entry.name);
      const kind = entry.name.startsWith('.') ? 'other' : await kindOf(entry, name);
      if (kind === 'file' && isKnown(entry.name)) inputs.push({ name, subfolder });
      // The outputs of an earlier run are not inputs.
      if (kind === 'folder' && isRecursive && path.resolve(name) !== outputPath) {
        const below = path.join(subfolder, entry.name);
        await list(name, below).catch((error: unknown) =>
          inputs.push({ name, subfolder: below, problem: toText(error) }),
        );
      }
    }
  };
  await list(root, '').catch((error: unknown) => inputs.push({ name: root, problem: toText(error) }));
  if (inputs.length > 0) return inputs;
  const remedy = isRecursive ? 'Check the path.' : 'To process the folders below it, too, add --recursive.';
  return [{ name: root, problem: `No file with a known extension in this folder. ${remedy}` }];
}

function toText(error: unknown): string {
  const reason = error instanceof Error ? error.message : 'unknown error';
  return `Could not list the folder: ${reason}.`;
}

const URL_PROBLEM = 'This is a URL, not a file. Download the file first.';

/** Finds the files to process: the given ones, and those in the given folders. A folder that fails is one entry. */
export async function findInputs(options: ProcessOptions): Promise<InputFile[]> {
  const lists: InputFile[][] = [];
  for (const name of options.inputs) {
    if (isUrl(name)) lists.push([{ name, problem: URL_PROBLEM }]);
    else lists.push(isFolder(name) ? await listFolder(name, options) : [{ name, entry: options.entry }]);
  }
  return lists.flat();
}
