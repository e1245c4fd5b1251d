import 'should';
import { ifcBox } from '../files/ifc.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

describe('loadIfc', () => {
  it('reads the products of a building with their names, in the unit of the file', async () => {
    const read = await measureFile(ifcBox('metre'), 'a.ifc', { measurementUnits: 'inch' });
    read.should.match({ shells: 1, level: 'solid', box: [0, 0, 0, 1000, 2000, 3000], names: ['lid'], warnings: [] });
    (await measureFile(ifcBox('millimetre'), 'a.ifc')).box.should.deepEqual([0, 0, 0, 1, 2, 3]);
  });

  it('warns of a file that ends before its end is marked', async () => {
    const text = ifcBox('metre').toString();
    for (const end of ['', 'END-ISO-10'])
      (await measureFile(Buffer.from(text.replace(/END-ISO-10303-21;\s*$/, end)), 'a.ifc')).warnings.should.deepEqual([
        'TRUNCATED',
      ]);
  });

  it('throws for other content and a truncated file', async () => {
    (await rejectionOf(measureFile(Buffer.from('solid a'), 'a.ifc'))).code.should.equal('FILE_MALFORMED');
    const bytes = ifcBox('metre');
    (await rejectionOf(measureFile(bytes.subarray(0, bytes.length / 2), 'a.ifc'))).code.should.match(/^FILE_/);
  });
});
