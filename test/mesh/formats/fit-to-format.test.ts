import should from 'should';
import { fitToFormat } from '../../../src/mesh/formats/fit-to-format.js';
import { FORMATS } from '../../../src/mesh/formats/format-table.js';
import { makeCrowd } from '../models/crowd.js';
import { makeCube } from '../models/cube.js';
import { placed } from '../models/mesh-of.js';

describe('fitToFormat', () => {
  it('rounds for the formats that hold float32, and for no other', () => {
    const mesh = placed(makeCube(), [0.1, 0, 0]);
    const rounding = FORMATS.filter(({ id, canExport }) => canExport && fitToFormat(mesh, id).mesh !== mesh);
    rounding.map(({ id }) => id).should.deepEqual(['stl', 'glb']);
    fitToFormat(mesh, '.STL').mesh.positions.should.deepEqual(mesh.positions.map(Math.fround));
  });

  it('reports nothing where the solid stays one', () => {
    should(fitToFormat(placed(makeCube(), [0.1, 0, 0]), 'stl').report).be.undefined();
  });

  it('says what the file will hold where rounding broke triangles for good', () => {
    const { mesh, report } = fitToFormat(makeCrowd(), 'stl');
    should(report?.warnings.map(({ code }) => code)).deepEqual(['ROUNDING_BROKE_TRIANGLES']);
    should(report?.warnings[0]?.message).match(
      /^The format stl holds about seven digits .* PLY, OBJ, 3MF and AMF keep/,
    );
    should(report?.before.triangles).equal(240);
    should(report?.after.triangles).equal(mesh.triangles.length / 3);
    should(report?.verdict.needsRepair).be.true();
    should(report?.maxDisplacementMm).be.above(0);
  });
});
