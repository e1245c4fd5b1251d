import 'should';
import { SPLIT_FANS } from '../../../src/mesh/repair/repair-steps.js';
import { makeCube } from '../models/cube.js';
import { meshOf } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { makeTorus } from '../models/torus.js';
import { makeVoxels } from '../models/voxels.js';
import { runStep } from './run-step.js';

describe('the step fans', () => {
  it('leaves a manifold unchanged', () => {
    runStep(SPLIT_FANS, makeTorus()).should.containEql({ changed: 0 });
  });

  it('gives two bodies that touch at a vertex a vertex each', () => {
    const tips = meshOf(
      [
        [0, 0, 0],
        [1, 0, 1],
        [0, 1, 1],
        [-1, -1, 1],
        [1, 0, -1],
        [0, 1, -1],
        [-1, -1, -1],
      ],
      [
        [0, 2, 1],
        [0, 3, 2],
        [0, 1, 3],
        [1, 2, 3],
        [0, 4, 5],
        [0, 5, 6],
        [0, 6, 4],
        [4, 6, 5],
      ],
    );
    const { analysis, changed } = runStep(SPLIT_FANS, tips);
    changed.should.equal(1);
    analysis.nonManifoldVertices.should.equal(0);
    analysis.shells.should.equal(2);
  });

  it('gives two bodies that touch along an edge an edge each', () => {
    const cube = makeCube();
    const second = [2, 8, 9, 10, 6, 11, 12, 13];
    const positions = [...cube.positions, 3, 1, -1, 3, 3, -1, 1, 3, -1, 3, 1, 1, 3, 3, 1, 1, 3, 1];
    const triangles = [...cube.triangles, ...Array.from(cube.triangles, (vertex) => second[vertex] ?? 0)];
    const { analysis, changed } = runStep(SPLIT_FANS, {
      positions: Float64Array.from(positions),
      triangles: Uint32Array.from(triangles),
    });
    changed.should.equal(2);
    analysis.badEdges.should.equal(0);
    analysis.shells.should.equal(2);
  });

  it('splits an edge at its midpoint if a body touches itself along it', () => {
    // Two cells that share only an edge, between two layers of four cells that connect them.
    const layer = [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ];
    const cells = [
      [0, 0, 0],
      [1, 1, 0],
      ...layer.map(([x = 0, y = 0]) => [x, y, 1]),
      ...layer.map(([x = 0, y = 0]) => [x, y, -1]),
    ];
    const touching = makeVoxels(cells);
    const { analysis } = runStep(SPLIT_FANS, touching);
    analysis.badEdges.should.equal(0);
    analysis.nonManifoldVertices.should.equal(0);
    analysis.vertices.should.equal(touching.positions.length / 3 + 1);
    analysis.volumeMm3.should.be.approximately(cells.length, 1e-12);
  });

  it('makes 150 random sets of cells manifold without changing their volume', () => {
    const random = createRandom(3);
    for (let run = 0; run < 150; run++) {
      const cells = [...Array(64).keys()]
        .filter(() => random() < 0.45)
        .map((cell) => [cell % 4, Math.floor(cell / 4) % 4, Math.floor(cell / 16)]);
      const { analysis } = runStep(SPLIT_FANS, makeVoxels(cells));
      analysis.badEdges.should.equal(0);
      analysis.nonManifoldVertices.should.equal(0);
      analysis.volumeMm3.should.be.approximately(cells.length, 1e-9);
    }
  });
});
