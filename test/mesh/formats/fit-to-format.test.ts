import should from 'should';
import { fitToFormat } from '../../../src/mesh/formats/fit-to-format.js';
import { EXPORT_FORMATS } from '../../../src/mesh/formats/registry.js';
import { makeCrowd } from '../models/crowd.js';
import { makeCube } from '../models/cube.js';
import { placed } from '../models/mesh-of.js';

describe('fitToFormat', () => {
  it('rounds positions for STL and GLB only', () => {
    const mesh = placed(makeCube(), [0.1, 0, 0]);
    const roundingFormats = EXPORT_FORMATS.filter(({ id }) => fitToFormat(mesh, id).mesh !== mesh);
    roundingFormats.map(({ id }) => id).should.deepEqual(['stl', 'glb']);
    fitToFormat(mesh, '.STL').mesh.positions.should.deepEqual(mesh.positions.map(Math.fround));
  });

  it('returns no report if the rounded mesh is still solid', () => {
    should(fitToFormat(placed(makeCube(), [0.1, 0, 0]), 'stl').report).be.undefined();
  });

  it('reports the analysis of the rounded mesh and a warning if rounding leaves broken triangles', () => {
    const { mesh, report } = fitToFormat(makeCrowd(), 'stl');
    should(report?.warnings.map(({ code }) => code)).deepEqual(['ROUNDING_BROKE_TRIANGLES']);
    should(report?.warnings[0]?.message).match(
      /^The format stl stores about seven digits .* PLY, OBJ, 3MF and AMF keep/,
    );
    should(report?.before.triangles).equal(240);
    should(report?.after.triangles).equal(mesh.triangles.length / 3);
    should(report?.verdict.needsRepair).be.true();
    should(report?.maxDisplacementMm).be.above(0);
  });
});
