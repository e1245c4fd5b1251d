import 'should';
import { ifcBox, type MappedBox, mappedIfcBoxes } from '../files/ifc.js';
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

  describe('with mapped items', () => {
    const at = (x: number, factors: MappedBox['factors'] = [1, 1, 1]): MappedBox => ({ x, factors });
    const mirrored = (x: number): MappedBox => at(x, [-1, 1, 1]);
    const read = (...parts: Parameters<typeof mappedIfcBoxes>) => measureFile(mappedIfcBoxes(...parts), 'a.ifc');
    const CASES: Record<string, { parts: Parameters<typeof mappedIfcBoxes>; boxes: number; sizes?: number[] }> = {
      'as it is': { parts: [[[at(0)]]], boxes: 1 },
      'mirrored and stretched': { parts: [[[at(0, [-1, 2, 3])]]], boxes: 6, sizes: [100, 200, 300] },
      'mirrored along all axes': { parts: [[[at(0, [-1, -1, -1])]]], boxes: 1 },
      'turned by mirroring two axes': { parts: [[[at(0, [-1, 1, -1])]]], boxes: 1 },
      'once as it is and once mirrored': { parts: [[[at(0), mirrored(500)]]], boxes: 2 },
      'once mirrored and twice as it is': { parts: [[[mirrored(0), at(500), at(1000)]]], boxes: 3 },
      'mirrored twice': { parts: [[[mirrored(0), mirrored(500)]]], boxes: 2 },
      'mirrored in one product and not in the next': {
        parts: [[[mirrored(0)], [at(500)], [mirrored(1000)]]],
        boxes: 3,
      },
      'mirrored in a mirrored map': { parts: [[[mirrored(0), at(500)]], [mirrored(0)]], boxes: 2 },
      'mirrored in maps of both kinds': { parts: [[[mirrored(0)]], [at(0), mirrored(500)]], boxes: 2 },
    };
    for (const [name, { parts, boxes, sizes }] of Object.entries(CASES)) {
      it(`reads a box ${name}, facing outward`, async () => {
        const { volume, level, box, triangles } = await read(...parts);
        level.should.equal('solid');
        volume.should.be.approximately(boxes * 1e6, boxes);
        if (sizes) [0, 1, 2].map((k) => (box[k + 3] ?? 0) - (box[k] ?? 0)).should.deepEqual(sizes);
        else triangles.should.equal(boxes * 12);
      });
    }
  });

  it('throws for other content and a truncated file', async () => {
    (await rejectionOf(measureFile(Buffer.from('solid a'), 'a.ifc'))).code.should.equal('FILE_MALFORMED');
    const bytes = ifcBox('metre');
    (await rejectionOf(measureFile(bytes.subarray(0, bytes.length / 2), 'a.ifc'))).code.should.match(/^FILE_/);
  });
});
