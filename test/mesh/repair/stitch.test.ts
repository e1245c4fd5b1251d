import 'should';
import { STITCH } from '../../../src/mesh/repair/stitch.js';
import { makeCube } from '../models/cube.js';
import { meshOf, without } from '../models/mesh-of.js';
import { runStep } from './run-step.js';

/** A cube of 2 mm whose top has corners of its own, off by so much. */
const crackedCube = (off: number) => {
  const cube = makeCube();
  const top = [-1, -1, 1 + off, 1, -1, 1 + off, 1, 1, 1 + off, -1, 1, 1 + off];
  const triangles = cube.triangles.slice();
  triangles.set([8, 9, 10, 8, 10, 11], 6);
  return { positions: Float64Array.from([...cube.positions, ...top]), triangles };
};

describe('the step stitch', () => {
  it('leaves a closed mesh as it is', () => {
    runStep(STITCH, makeCube()).should.containEql({ changed: 0, mesh: makeCube() });
  });

  it('joins boundary vertices closer than a ten-thousandth of the diagonal', () => {
    for (const off of [1e-12, 1e-6, 1e-4]) {
      const { analysis, changed, maxDisplacementMm } = runStep(STITCH, crackedCube(off));
      analysis.badEdges.should.equal(0);
      changed.should.equal(4);
      maxDisplacementMm.should.be.approximately(off, 1e-12);
    }
  });

  it('keeps the place that most triangles have', () => {
    runStep(STITCH, crackedCube(1e-4)).analysis.dimensionZMm.should.equal(2);
  });

  it('leaves what is farther apart', () => {
    runStep(STITCH, crackedCube(1e-3)).changed.should.equal(0);
  });

  it('never joins the ends of an edge, however short', () => {
    const sliver = meshOf(
      [
        [0, 0, 0],
        [1e-5, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    runStep(STITCH, sliver).should.containEql({ changed: 0 });
  });

  it('leaves a hole alone', () => {
    runStep(STITCH, without(makeCube(), 2)).changed.should.equal(0);
  });
});
