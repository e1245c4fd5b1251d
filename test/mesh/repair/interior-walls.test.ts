import 'should';
import { REMOVE_INTERIOR_WALLS } from '../../../src/mesh/repair/interior-walls.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';
import { runStep } from './run-step.js';

/** The cube with a wall across it, from edge to edge. */
const walled = () => ({
  ...makeCube(),
  triangles: Uint32Array.from([...makeCube().triangles, 0, 2, 6, 0, 6, 4]),
});

/** Quads between two squares, each given by its first vertex. */
const bandBetween = (below: number, above: number) =>
  [0, 1, 2, 3].flatMap((k) => {
    const [a, b, c, d] = [below + k, below + ((k + 1) % 4), above + ((k + 1) % 4), above + k];
    return [
      [a, b, c],
      [a, c, d],
    ];
  });

const post = () =>
  meshOf(
    [
      [1, -1],
      [1, 4],
      [1, 5],
      [0.2, 4],
    ].flatMap(([half = 0, z = 0]) => [
      [-half, -half, z],
      [half, -half, z],
      [half, half, z],
      [-half, half, z],
    ]),
    [[0, 2, 1], [0, 3, 2], [8, 9, 10], [8, 10, 11], ...bandBetween(0, 4), ...bandBetween(4, 8), ...bandBetween(4, 12)],
  );

describe('the step interior-walls', () => {
  it('drops a wall inside a body', () => {
    for (const mesh of [walled(), rotated(walled())]) {
      const { changed, analysis } = runStep(REMOVE_INTERIOR_WALLS, mesh);
      changed.should.equal(2);
      analysis.badEdges.should.equal(0);
      analysis.volumeMm3.should.be.approximately(8, 1e-9);
    }
  });

  it('opens nothing where a body with a wall lies within another body', () => {
    // Both halves of the inner one, and its wall, have material on both sides.
    const { changed, analysis } = runStep(REMOVE_INTERIOR_WALLS, joined(placed(makeCube(), [0, 0, 0], 3), walled()));
    changed.should.equal(2);
    analysis.badEdges.should.equal(0);
    analysis.volumeMm3.should.be.approximately(27 * 8 + 8, 1e-9);
  });

  it('keeps the end of a body of which only the largest triangles are within another', () => {
    // A post with a wall across it near its top, which has a hole; the top is in a cube, the sides below it are not.
    const { changed, analysis } = runStep(REMOVE_INTERIOR_WALLS, joined(post(), placed(makeCube(), [0, 0, 6], 1.4)));
    changed.should.equal(0);
    analysis.triangles.should.equal(28 + 12);
  });

  it('leaves a closed mesh as it is, and one with a hole', () => {
    for (const mesh of [makeTorus(), without(makeCube(), 3)])
      runStep(REMOVE_INTERIOR_WALLS, mesh).changed.should.equal(0);
  });

  it('leaves bodies that touch along an edge', () => {
    runStep(REMOVE_INTERIOR_WALLS, joined(makeCube(), placed(makeCube(), [2, 2, 0]))).changed.should.equal(0);
  });

  it('leaves a fin outside of the body', () => {
    const fin = meshOf([...makeCubeVertices(), [0, 0, 5]], [...makeCubeTriangles(), [4, 6, 8]]);
    runStep(REMOVE_INTERIOR_WALLS, fin).changed.should.equal(0);
  });
});

const makeCubeVertices = () =>
  Array.from({ length: 8 }, (_, v) => [...makeCube().positions.subarray(v * 3, v * 3 + 3)]);
const makeCubeTriangles = () =>
  Array.from({ length: 12 }, (_, t) => [...makeCube().triangles.subarray(t * 3, t * 3 + 3)]);
