// Reads mutations FIRST to END - 1 of one file and prints the number of each before reading it. Arguments: NAME FIRST
// END SEED. The parent caps the memory and kills the process if an input takes too long. Equal numbers and seeds give
// equal inputs.
import { writeSync } from 'node:fs';
import { createPrng } from '../../src/mesh/core/prng.js';
import { BUILT_IN_FILES } from './built-in-files.js';
import { mutate } from './mutate.js';
import { readOrReject } from './read-or-reject.js';

/** Writes synchronously, so that the parent knows which input never finished. */
function printLine(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      // The pipe is full until the parent reads it.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

const [name = '', first = '', end = '', seed = ''] = process.argv.slice(2);
const make = BUILT_IN_FILES[name];
if (!make) throw new Error(`Unknown file "${name}".`);
const { filename, structure, bytes, wrap = (same) => same } = make();
let readCount = 0;
for (let i = Number(first); i < Number(end); i++) {
  printLine(String(i));
  const random = createPrng(Number(seed) + i);
  if (readOrReject(wrap(mutate(bytes, structure, random)), filename) === 'read') readCount++;
}
printLine(`read ${readCount}`);
