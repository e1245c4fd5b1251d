import { closeSync, openSync, writeSync } from 'node:fs';

const CHUNK = Buffer.alloc(1 << 20, 'model ');

/** Writes a file of this size without holes. */
export function writeModel(file: string, mib: number): void {
  const target = openSync(file, 'w');
  for (let written = 0; written < mib; written++) writeSync(target, CHUNK);
  closeSync(target);
}
