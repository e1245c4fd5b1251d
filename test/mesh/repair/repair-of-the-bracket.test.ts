import 'should';
import { readFileSync } from 'node:fs';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { parseOwn } from '../formats/parse-own.js';
import { makeBracketFile, makeSoundBracket } from '../models/bracket.js';

describe('the repair of the bundled bracket', () => {
  const bytes = readFileSync('samples/bracket.stl');
  const sample = () => parseOwn(bytes, { filename: 'bracket.stl' }).mesh;

  it('starts from the file that the script creates', () => {
    bytes.equals(makeBracketFile(false)).should.be.true();
  });

  it('makes it solid, with the volume of the undamaged bracket', () => {
    const { report, isSuccessful } = repair(sample());
    isSuccessful.should.be.true();
    report.verdict.level.should.equal('solid');
    const expectedMm3 = analyze(makeSoundBracket()).volumeMm3;
    report.after.volumeMm3.should.be.approximately(expectedMm3, expectedMm3 * 1e-3);
  });

  it('reports the defects, the steps that changed the mesh and the filled area', () => {
    const { report } = repair(sample());
    report.before.badEdges.should.be.above(100);
    report.after.badEdges.should.equal(0);
    const changedSteps = report.steps.filter(({ changed }) => changed > 0).map(({ name }) => name);
    changedSteps.should.deepEqual(['clean', 'stitch', 'orient', 'holes']);
    report.filledAreaMm2.should.be.above(0);
    report.places.filter(({ defect }) => defect === 'boundaryEdge').length.should.equal(100);
    report.maxDisplacementMm.should.be.within(1e-4, 0.01);
  });
});
