import 'should';
import { FLIP_DEGENERATE } from '../../../src/mesh/repair/flip-degenerate.js';
import { makeCube } from '../models/cube.js';
import { meshOf } from '../models/mesh-of.js';
import { runStep } from './run-step.js';

describe('the step degenerate-triangles', () => {
  it('leaves a mesh without flat triangles as it is', () => {
    runStep(FLIP_DEGENERATE, makeCube()).should.containEql({ changed: 0, mesh: makeCube() });
  });

  it('flips the long side of a flat triangle, and keeps the surface', () => {
    // A tetrahedron; the edge 0 1 has a vertex 4 in its middle on one side, and a flat triangle 0 1 4 between.
    const tetrahedron = meshOf(
      [
        [0, 0, 0],
        [2, 0, 0],
        [0, 2, 0],
        [0, 0, 2],
        [1, 0, 0],
      ],
      [
        [0, 4, 3],
        [4, 1, 3],
        [0, 2, 1],
        [0, 3, 2],
        [1, 2, 3],
        [0, 1, 4],
      ],
    );
    const { analysis, changed } = runStep(FLIP_DEGENERATE, tetrahedron);
    changed.should.equal(1);
    analysis.degenerateTriangles.should.equal(0);
    analysis.badEdges.should.equal(0);
    analysis.volumeMm3.should.be.approximately(8 / 6, 1e-12);
  });

  it('works through flat triangles that hide behind each other', () => {
    const tetrahedron = meshOf(
      [
        [0, 0, 0],
        [3, 0, 0],
        [0, 2, 0],
        [0, 0, 2],
        [1, 0, 0],
        [2, 0, 0],
      ],
      [
        [0, 4, 3],
        [4, 5, 3],
        [5, 1, 3],
        [0, 2, 1],
        [0, 3, 2],
        [1, 2, 3],
        [0, 1, 5],
        [0, 5, 4],
      ],
    );
    const { analysis, changed } = runStep(FLIP_DEGENERATE, tetrahedron);
    changed.should.equal(2);
    analysis.degenerateTriangles.should.equal(0);
    analysis.badEdges.should.equal(0);
  });

  it('leaves a flat triangle at a border', () => {
    runStep(
      FLIP_DEGENERATE,
      meshOf(
        [
          [0, 0, 0],
          [1, 0, 0],
          [2, 0, 0],
        ],
        [[0, 1, 2]],
      ),
    ).changed.should.equal(0);
  });
});
