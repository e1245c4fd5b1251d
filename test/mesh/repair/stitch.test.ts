import 'should';
import { STITCH } from '../../../src/mesh/repair/stitch.js';
import { makeCube } from '../models/cube.js';
import { meshOf, without } from '../models/mesh-of.js';
import { runStep } from './run-step.js';

/** A cube of 2 mm whose top has its own corners, raised by `offset`. */
function makeCrackedCube(offset: number) {
  const cube = makeCube();
  const top = [-1, -1, 1 + offset, 1, -1, 1 + offset, 1, 1, 1 + offset, -1, 1, 1 + offset];
  const triangles = cube.triangles.slice();
  triangles.set([8, 9, 10, 8, 10, 11], 6);
  return { positions: Float64Array.from([...cube.positions, ...top]), triangles };
}

describe('the step stitch', () => {
  it('leaves a closed mesh unchanged', () => {
    runStep(STITCH, makeCube()).should.containEql({ changed: 0, mesh: makeCube() });
  });

  it('merges boundary vertices closer than 1e-4 of the diagonal', () => {
    for (const offset of [1e-12, 1e-6, 1e-4]) {
      const { analysis, changed, maxDisplacementMm } = runStep(STITCH, makeCrackedCube(offset));
      analysis.badEdges.should.equal(0);
      changed.should.equal(4);
      maxDisplacementMm.should.be.approximately(offset, 1e-12);
    }
  });

  it('keeps the position that most triangles use', () => {
    runStep(STITCH, makeCrackedCube(1e-4)).analysis.dimensionZMm.should.equal(2);
  });

  it('leaves vertices unchanged that are farther apart', () => {
    runStep(STITCH, makeCrackedCube(1e-3)).changed.should.equal(0);
  });

  it('never merges the ends of a short edge', () => {
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

  it('leaves a hole unchanged', () => {
    runStep(STITCH, without(makeCube(), 2)).changed.should.equal(0);
  });
});
