import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Returns the names of the scratch files and unfinished blobs of a data folder, without the folders of kernel processes. */
export function listTemporaryFiles(dataFolder: string): string[] {
  const entries = readdirSync(path.join(dataFolder, 'temp'), { withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}
