import 'should';
import { REMOVE_INTERIOR_WALLS } from '../../../src/mesh/repair/interior-walls.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated } from '../models/transform.js';
import { runStep } from './run-step.js';

/** A cube with a diagonal wall from edge to edge. */
function makeWalledCube() {
  return {
    ...makeCube(),
    triangles: Uint32Array.from([...makeCube().triangles, 0, 2, 6, 0, 6, 4]),
  };
}

/** The sides between two squares, each given by its first vertex. */
function bandBetween(below: number, above: number) {
  return [0, 1, 2, 3].flatMap((k) => {
    const [a, b, c, d] = [below + k, below + ((k + 1) % 4), above + ((k + 1) % 4), above + k];
    return [
      [a, b, c],
      [a, c, d],
    ];
  });
}

function makePost() {
  return meshOf(
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
}

describe('the step interior-walls', () => {
  it('drops a wall inside a body', () => {
    for (const mesh of [makeWalledCube(), rotated(makeWalledCube())]) {
      const { changed, analysis } = runStep(REMOVE_INTERIOR_WALLS, mesh);
      changed.should.equal(2);
      analysis.badEdges.should.equal(0);
      analysis.volumeMm3.should.be.approximately(8, 1e-9);
    }
  });

  it('leaves no boundary edges if a body with a wall is inside another body', () => {
    // Both halves of the inner body and its wall have material on both sides.
    const { changed, analysis } = runStep(
      REMOVE_INTERIOR_WALLS,
      joined(placed(makeCube(), [0, 0, 0], 3), makeWalledCube()),
    );
    changed.should.equal(2);
    analysis.badEdges.should.equal(0);
    analysis.volumeMm3.should.be.approximately(27 * 8 + 8, 1e-9);
  });

  it('keeps the end of a body if only its largest triangles are inside another', () => {
    // A post with a wall near its top, which has a hole. The top is in a cube, the sides below it are not.
    const { changed, analysis } = runStep(
      REMOVE_INTERIOR_WALLS,
      joined(makePost(), placed(makeCube(), [0, 0, 6], 1.4)),
    );
    changed.should.equal(0);
    analysis.triangles.should.equal(28 + 12);
  });

  it('keeps the surface of a void that is attached to a flap', () => {
    const flap = meshOf([...makeCubeVertices(), [0, 0, 2]], [...makeCubeTriangles(), [4, 6, 8]]);
    const cavity = joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(flap));
    runStep(REMOVE_INTERIOR_WALLS, cavity).changed.should.equal(0);
  });

  it('leaves a closed mesh and a mesh with a hole unchanged', () => {
    for (const mesh of [makeTorus(), without(makeCube(), 3)])
      runStep(REMOVE_INTERIOR_WALLS, mesh).changed.should.equal(0);
  });

  it('leaves bodies that touch along an edge unchanged', () => {
    runStep(REMOVE_INTERIOR_WALLS, joined(makeCube(), placed(makeCube(), [2, 2, 0]))).changed.should.equal(0);
  });

  it('keeps a fin outside the body', () => {
    const fin = meshOf([...makeCubeVertices(), [0, 0, 5]], [...makeCubeTriangles(), [4, 6, 8]]);
    runStep(REMOVE_INTERIOR_WALLS, fin).changed.should.equal(0);
  });
});

function makeCubeVertices() {
  return Array.from({ length: 8 }, (_, v) => [...makeCube().positions.subarray(v * 3, v * 3 + 3)]);
}
function makeCubeTriangles() {
  return Array.from({ length: 12 }, (_, t) => [...makeCube().triangles.subarray(t * 3, t * 3 + 3)]);
}
