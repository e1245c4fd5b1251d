import 'should';
import { brepBox } from '../files/brep.js';
import { igesBox } from '../files/iges.js';
import { stepBox, stepCylinder } from '../files/step.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

const SOLID = { shells: 1, level: 'solid', warnings: [] };

describe('loadOcct', () => {
  it('reads STEP in the unit of the file and ignores that of the caller', async () => {
    (await measureFile(stepBox('mm'), 'a.step', { measurementUnits: 'm' })).should.match({
      ...SOLID,
      box: [0, 0, 0, 1, 2, 3],
      names: ['bracket'],
    });
    const { box, volume } = await measureFile(stepBox('inch'), 'a.STP');
    box.should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    volume.should.be.approximately(6 * 25.4 ** 3, 1e-6);
  });

  it('reads STEP without a unit in the unit of the caller', async () => {
    (await measureFile(stepBox(), 'a.step')).box.should.deepEqual([0, 0, 0, 1, 2, 3]);
    (await measureFile(stepBox(), 'a.step', { measurementUnits: 'cm' })).box.should.deepEqual([0, 0, 0, 10, 20, 30]);
  });

  it('reads IGES in the unit of the file', async () => {
    const { box, ...more } = await measureFile(igesBox('inch'), 'a.igs', { measurementUnits: 'm' });
    box.should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    more.should.match(SOLID);
    (await measureFile(igesBox('mm'), 'a.iges')).box.should.deepEqual([0, 0, 0, 1, 2, 3]);
  });

  it('reads BREP in the unit of the caller', async () => {
    (await measureFile(brepBox(), 'a.brep')).should.match({ ...SOLID, box: [0, 0, 0, 1, 2, 3], volume: 6 });
    (await measureFile(brepBox(), 'a.brp', { measurementUnits: 'inch' })).box.should.deepEqual([
      0, 0, 0, 25.4, 50.8, 76.2,
    ]);
  });

  it('rejects a BREP that OpenCASCADE would search forever', async () => {
    for (const [part, other] of [
      ['Curves 12', 'Curves 4294967295'],
      ['Curves 12', 'Curves -1'],
      ['1e-07', '1Ed-07'],
      ['1e-07', '1e999'],
      ['1e-07', 'nan'],
      ['\n1  1 0 0', '\n4294967295  1 0 0'],
      ['1e-07', '99999999999999999999'],
    ] as const) {
      const text = brepBox().toString().replace(part, other);
      const rejection = await rejectionOf(measureFile(Buffer.from(text), 'a.brep'));
      rejection.should.match({ code: 'FILE_MALFORMED', message: /truncated/ });
    }
  });

  describe('with curved surfaces', () => {
    const exact = Math.PI * 100 * 20;
    const read = (more = {}) => measureFile(stepCylinder(), 'a.step', more);

    it('meshes a cylinder to a solid and warns that colors are not imported', async () => {
      const { volume, ...more } = await read();
      more.should.match({ level: 'solid', shells: 1, warnings: ['COLOURS_DROPPED'] });
      volume.should.be.within(exact * 0.99, exact);
    });

    it('meshes to the requested distance and angle', async () => {
      const defaultCount = (await read()).triangles;
      (await read({ accuracyMm: 1, maxAngle: 60 })).triangles.should.be.below(defaultCount);
      const byDistance = await read({ accuracyMm: 0.001, maxAngle: 90 });
      byDistance.triangles.should.be.above(defaultCount);
      // A polygon within 0.001 mm of a circle of 10 mm radius loses at most 2 x 0.001 / 10 of its area.
      byDistance.volume.should.be.within(exact * (1 - 2e-4), exact);
      byDistance.level.should.equal('solid');
      (await read({ accuracyMm: 1, maxAngle: 2 })).triangles.should.be.above(defaultCount);
    });
  });

  it('throws FILE_MALFORMED for a file that does not begin like one', async () => {
    for (const filename of ['a.step', 'a.iges', 'a.brep']) {
      const rejection = await rejectionOf(measureFile(Buffer.from('a solid thing'), filename));
      rejection.should.match({ code: 'FILE_MALFORMED', message: /does not begin like one/ });
    }
  });

  it('throws for a truncated file', async () => {
    const files = { 'a.step': stepBox('mm'), 'a.brep': brepBox() };
    for (const [filename, file] of Object.entries(files)) {
      const rejection = await rejectionOf(measureFile(file.subarray(0, file.length / 2), filename));
      rejection.code.should.match(/^FILE_/, filename);
    }
  });
});
