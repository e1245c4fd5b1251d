import 'should';
import { MEMBRANES } from '../../../src/mesh/repair/membranes.js';
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

describe('the step membranes', () => {
  it('drops a wall inside a body', () => {
    for (const mesh of [walled(), rotated(walled())]) {
      const { changed, analysis } = runStep(MEMBRANES, mesh);
      changed.should.equal(2);
      analysis.badEdges.should.equal(0);
      analysis.volumeMm3.should.be.approximately(8, 1e-9);
    }
  });

  it('opens nothing where a body with a wall lies within another body', () => {
    // Both halves of the inner one, and its wall, have material on both sides.
    const { changed, analysis } = runStep(MEMBRANES, joined(placed(makeCube(), [0, 0, 0], 3), walled()));
    changed.should.equal(2);
    analysis.badEdges.should.equal(0);
    analysis.volumeMm3.should.be.approximately(27 * 8 + 8, 1e-9);
  });

  it('leaves a closed mesh as it is, and one with a hole', () => {
    for (const mesh of [makeTorus(), without(makeCube(), 3)]) runStep(MEMBRANES, mesh).changed.should.equal(0);
  });

  it('leaves bodies that touch along an edge', () => {
    runStep(MEMBRANES, joined(makeCube(), placed(makeCube(), [2, 2, 0]))).changed.should.equal(0);
  });

  it('leaves a fin outside of the body', () => {
    const fin = meshOf([...makeCubeVertices(), [0, 0, 5]], [...makeCubeTriangles(), [4, 6, 8]]);
    runStep(MEMBRANES, fin).changed.should.equal(0);
  });
});

const makeCubeVertices = () =>
  Array.from({ length: 8 }, (_, v) => [...makeCube().positions.subarray(v * 3, v * 3 + 3)]);
const makeCubeTriangles = () =>
  Array.from({ length: 12 }, (_, t) => [...makeCube().triangles.subarray(t * 3, t * 3 + 3)]);
