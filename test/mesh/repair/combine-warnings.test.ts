import 'should';
import { combineWarnings, listNames } from '../../../src/mesh/repair/combine-warnings.js';

const warning = { code: 'VOLUME_CHANGED', message: 'The volume changed.' } as const;

describe('combineWarnings', () => {
  it('names the part of each warning', () => {
    combineWarnings([
      { name: 'left', warnings: [warning] },
      { name: 'right', warnings: [] },
    ]).should.deepEqual([{ code: 'VOLUME_CHANGED', message: 'Part “left”: The volume changed.' }]);
  });

  it('says at the tenth warning of a code how many more there are', () => {
    const parts = Array.from({ length: 14 }, (_, i) => ({ name: String(i), warnings: [warning] }));
    const combined = combineWarnings(parts);
    combined.length.should.equal(10);
    combined[9]?.message.should.equal('Part “9”, as in 4 others: The volume changed.');
  });
});

describe('listNames', () => {
  it('lists up to 20 names', () => {
    listNames(['a', 'b']).should.equal('a, b');
    listNames(Array.from({ length: 22 }, (_, i) => String(i))).should.endWith(', 19 and 2 others');
  });
});
