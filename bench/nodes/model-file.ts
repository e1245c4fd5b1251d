import { closeSync, openSync, writeSync } from 'node:fs';

const PIECE = Buffer.alloc(1 << 20, 'model ');

/** Writes a file of so many MiB, every byte of it. */
export const writeModel = (file: string, mib: number): void => {
  const target = openSync(file, 'w');
  for (let written = 0; written < mib; written++) writeSync(target, PIECE);
  closeSync(target);
};
