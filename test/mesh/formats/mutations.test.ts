import 'should';
import { createPrng } from '../../../src/mesh/core/prng.js';
import { IMPORT_FORMATS, importFormatOf } from '../../../src/mesh/formats/registry.js';
import { BUILT_IN_FILES } from '../../fuzz/built-in-files.js';
import { mutate } from '../../fuzz/mutate.js';
import { readOrReject } from '../../fuzz/read-or-reject.js';

// `npm run soak -- built-in-readers` runs 100,000 mutations in a process with a memory cap and a time limit per file.
const MUTATIONS_PER_FORMAT = 250;

describe('built-in readers of damaged files', () => {
  for (const [name, make] of Object.entries(BUILT_IN_FILES)) {
    it(`read or reject every mutation of ${name}`, () => {
      const random = createPrng(7);
      const { filename, structure, bytes, wrap = (same) => same } = make();
      readOrReject(wrap(bytes), filename).should.equal('read');
      const outcomes = new Set<string>();
      for (let i = 0; i < MUTATIONS_PER_FORMAT; i++)
        outcomes.add(readOrReject(wrap(mutate(bytes, structure, random)), filename));
      outcomes.should.deepEqual(new Set(['read', 'refused']));
    });
  }

  it('are all covered by a file to mutate', () => {
    const formats = Object.values(BUILT_IN_FILES).map((make) => importFormatOf(make().filename)?.id);
    new Set(formats).should.deepEqual(
      new Set(IMPORT_FORMATS.filter(({ read, unpack }) => read ?? unpack).map(({ id }) => id)),
    );
  });
});
