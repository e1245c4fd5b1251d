import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { fitToFormat } from '../../../src/mesh/formats/fit-to-format.js';
import { EXPORT_FORMATS } from '../../../src/mesh/formats/registry.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { makeCrowd } from '../models/crowd.js';
import { makeCube } from '../models/cube.js';
import { joined, placed } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { parseOwn } from './parse-own.js';

/** Two tori next to each other, as two objects. */
function makeTori(): IndexedMesh {
  const torus = makeTorus();
  const triangleCount = torus.triangles.length / 3;
  const objects = ['left', 'right'].map((name, i) => ({ name, firstTriangle: i * triangleCount, triangleCount }));
  return { ...joined(torus, placed(torus, [60, 0, 0])), objects };
}

function exportTo(format: string, mesh: IndexedMesh) {
  const fit = fitToFormat(mesh, format);
  const file = Buffer.concat([...serializeModel(fit.mesh, format)]);
  return { ...fit, file, read: parseOwn(file, { filename: `a.${format}` }).mesh };
}

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
    should(report?.warnings.map(({ code }) => code)).deepEqual(['ROUNDING_BROKE_TRIANGLES', 'ROUNDING_CHANGED_SHAPE']);
    should(report?.warnings[0]?.message).match(
      /^The format stl stores about seven digits .* PLY, OBJ, 3MF and AMF keep/,
    );
    should(report?.before.triangles).equal(240);
    should(report?.after.triangles).equal(mesh.triangles.length / 3);
    should(report?.verdict.needsRepair).be.true();
    should(report?.maxDisplacementMm).be.above(0);
  });

  for (const offset of [
    [6e7, -4e7, 2e7],
    [0.1, 6e7, 0],
    [1e12, 1e12, -1e12],
  ]) {
    it(`keeps the shape of two objects at ${offset.join(', ')} in a GLB that is read back`, () => {
      const mesh = placed(makeTori(), offset);
      verdictOf(analyze(mesh)).level.should.equal('solid');
      const { mesh: fitted, report, read } = exportTo('glb', mesh);
      should(report).be.undefined();
      verdictOf(analyze(read)).level.should.equal('solid');
      should(read.objects).deepEqual(mesh.objects);
      read.positions.should.deepEqual(fitted.positions);
      read.triangles.should.deepEqual(mesh.triangles);
      for (const [i, value] of read.positions.entries())
        Math.abs(value - (mesh.positions[i] ?? 0)).should.be.below(4e-6);
    });
  }

  it('writes float32 coordinates of a distant model unchanged to a GLB', () => {
    const distant = placed(makeCube(), [2 ** 20, 0, 2 ** 20]);
    exportTo('glb', distant).read.positions.should.deepEqual(distant.positions);
    fitToFormat(distant, 'glb').mesh.positions.should.equal(distant.positions);
  });

  it('writes no translation for a model within sixteen extents of zero', () => {
    const { file, mesh } = exportTo('glb', placed(makeCube(), [30, 0.1, 0]));
    should(mesh.origin).be.undefined();
    file.includes('translation').should.be.false();
    exportTo('glb', placed(makeCube(), [40, 0.1, 0]))
      .file.includes('"translation":[40,0,0]')
      .should.be.true();
  });

  it('does not move a distant model in an STL, and warns that its shape changes', () => {
    const mesh = placed(makeTori(), [6e7, -4e7, 2e7]);
    const { read, report } = exportTo('stl', mesh);
    should(report?.warnings.map(({ code }) => code)).deepEqual(['ROUNDING_CHANGED_SHAPE']);
    should(report?.maxDisplacementMm).be.within(1, 16);
    should(report?.warnings[0]?.message).match(/rounding moves vertices by up to [\d.]+ mm\./);
    Math.abs((read.positions[0] ?? 0) - (mesh.positions[0] ?? 0)).should.be.below(40);
    should(fitToFormat(placed(makeTori(), [6e3, -4e3, 2e3]), 'stl').report).be.undefined();
  });

  it('reports the level of a file whose vertices rounding made equal as it is read back', () => {
    const { report, read } = exportTo('stl', placed(makeTorus(), [6e8, -4e8, 2e8]));
    should(report?.verdict.level).equal('watertight');
    verdictOf(analyze(read)).level.should.equal('watertight');
  });
});
