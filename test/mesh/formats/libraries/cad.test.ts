import 'should';
import { brepBox } from '../files/brep.js';
import { igesBox } from '../files/iges.js';
import { stepBox, stepCylinder } from '../files/step.js';
import { refusalOf } from '../mesh-error-of.js';
import { measureFile } from './measure-file.js';

const SOLID = { shells: 1, level: 'solid', warnings: [] };

describe('the reader of CAD files', () => {
  it('reads STEP in the unit of the file, whatever the caller says', async () => {
    (await measureFile(stepBox('mm'), 'a.step', { measurementUnits: 'm' })).should.match({
      ...SOLID,
      box: [0, 0, 0, 1, 2, 3],
      names: ['bracket'],
    });
    const { box, volume } = await measureFile(stepBox('inch'), 'a.STP');
    box.should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    volume.should.be.approximately(6 * 25.4 ** 3, 1e-6);
  });

  it('reads STEP without a unit in that of the caller', async () => {
    (await measureFile(stepBox(), 'a.step')).box.should.deepEqual([0, 0, 0, 1, 2, 3]);
    (await measureFile(stepBox(), 'a.step', { measurementUnits: 'cm' })).box.should.deepEqual([0, 0, 0, 10, 20, 30]);
  });

  it('reads IGES in the unit of the file', async () => {
    const { box, ...more } = await measureFile(igesBox('inch'), 'a.igs', { measurementUnits: 'm' });
    box.should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    more.should.match(SOLID);
    (await measureFile(igesBox('mm'), 'a.iges')).box.should.deepEqual([0, 0, 0, 1, 2, 3]);
  });

  it('reads BREP, which has no unit, in that of the caller', async () => {
    (await measureFile(brepBox(), 'a.brep')).should.match({ ...SOLID, box: [0, 0, 0, 1, 2, 3], volume: 6 });
    (await measureFile(brepBox(), 'a.brp', { measurementUnits: 'inch' })).box.should.deepEqual([
      0, 0, 0, 25.4, 50.8, 76.2,
    ]);
  });

  it('refuses a BREP at once that the library would search for ever', async () => {
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
      const refusal = await refusalOf(measureFile(Buffer.from(text), 'a.brep'));
      refusal.should.match({ code: 'FILE_MALFORMED', message: /breaks off/ });
    }
  });

  describe('of curved surfaces', () => {
    const exact = Math.PI * 100 * 20;
    const read = (more = {}) => measureFile(stepCylinder(), 'a.step', more);

    it('meshes them to a closed solid, and says that colours are not kept', async () => {
      const { volume, ...more } = await read();
      more.should.match({ level: 'solid', shells: 1, warnings: ['COLOURS_DROPPED'] });
      volume.should.be.within(exact * 0.99, exact);
    });

    it('meshes them as finely as is asked for: by distance, and by angle', async () => {
      const usual = (await read()).triangles;
      (await read({ accuracyMm: 1, maxAngle: 60 })).triangles.should.be.below(usual);
      const byDistance = await read({ accuracyMm: 0.001, maxAngle: 90 });
      byDistance.triangles.should.be.above(usual);
      // A circle of 10 mm that is nowhere off by more than a micron encloses all but a share of 2 x 0.001 / 10.
      byDistance.volume.should.be.within(exact * (1 - 2e-4), exact);
      byDistance.level.should.equal('solid');
      (await read({ accuracyMm: 1, maxAngle: 2 })).triangles.should.be.above(usual);
    });
  });

  it('refuses a file that begins as another format', async () => {
    for (const filename of ['a.step', 'a.iges', 'a.brep']) {
      const refusal = await refusalOf(measureFile(Buffer.from('solid thing\nendsolid'), filename));
      refusal.should.match({ code: 'FILE_MALFORMED', message: /begins otherwise/ });
    }
  });

  it('refuses a file that breaks off', async () => {
    const files = { 'a.step': stepBox('mm'), 'a.brep': brepBox() };
    for (const [filename, file] of Object.entries(files)) {
      const refusal = await refusalOf(measureFile(file.subarray(0, file.length / 2), filename));
      refusal.code.should.match(/^FILE_/, filename);
    }
  });
});
