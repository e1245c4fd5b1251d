// Reads damaged files of one kind, from one number to another, and says before each which it is: `KIND FIRST END SEED`. Its parent caps its memory
// and ends it where an input takes too long. The same number and seed make the same input.
import { writeSync } from 'node:fs';
import { createRandom } from './create-random.js';
import { mutate } from './mutate.js';
import { OWN_FILES } from './own-files.js';
import { readOrRefuse } from './read-or-refuse.js';

/** Written before the next line runs, so that it is known which input never came back. */
function tell(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      // The pipe is full until the parent comes to read it.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

const [kind = '', first = '', end = '', seed = ''] = process.argv.slice(2);
const make = OWN_FILES[kind];
if (!make) throw new Error(`there is no kind ${kind}`);
const { filename, structure, bytes, wrap = (same) => same } = make();
let readCount = 0;
for (let i = Number(first); i < Number(end); i++) {
  tell(String(i));
  const random = createRandom(Number(seed) + i);
  if (readOrRefuse(wrap(mutate(bytes, structure, random)), filename) === 'read') readCount++;
}
tell(`read ${readCount}`);
