import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Returns filename → volume from `truth.json` in the folder or above it: an object of filenames and numbers, possibly
 * nested.
 */
export function readVolumes(folder: string): Map<string, number> {
  const volumes = new Map<string, number>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'number') volumes.set(name, inner);
      else visit(inner);
    }
  };
  for (const file of [path.join(folder, 'truth.json'), path.join(folder, '../truth.json')])
    if (existsSync(file)) visit(JSON.parse(readFileSync(file, 'utf8')));
  return volumes;
}
