import 'should';
import { T_JUNCTIONS } from '../../../src/mesh/repair/t-junctions.js';
import { makeCube } from '../models/cube.js';
import { without } from '../models/mesh-of.js';
import { runStep } from './run-step.js';

/** A cube of 2 mm whose top is split at points along its edge from -1 -1 1 to 1 -1 1; the front below is not. */
const cubeWithJunctions = (...xs: readonly number[]) => {
  const cube = makeCube();
  const points = xs.flatMap((x) => [x, -1, 1]);
  const chain = [4, ...xs.map((_, i) => 8 + i), 5];
  const fan = chain.slice(1).flatMap((vertex, i) => [chain[i] ?? 0, vertex, 6]);
  const others = without(cube, 2).triangles;
  return {
    positions: Float64Array.from([...cube.positions, ...points]),
    triangles: Uint32Array.from([...others, ...fan]),
  };
};

describe('the step t-junctions', () => {
  it('leaves a closed mesh and a hole as they are', () => {
    runStep(T_JUNCTIONS, makeCube()).changed.should.equal(0);
    runStep(T_JUNCTIONS, without(makeCube(), 2)).changed.should.equal(0);
  });

  it('splits the edge that passes a vertex', () => {
    const { analysis, changed } = runStep(T_JUNCTIONS, cubeWithJunctions(0));
    changed.should.equal(1);
    analysis.badEdges.should.equal(0);
    analysis.triangles.should.equal(14);
    analysis.volumeMm3.should.be.approximately(8, 1e-12);
  });

  it('splits it at several vertices, in whatever order they come', () => {
    const { analysis } = runStep(T_JUNCTIONS, cubeWithJunctions(-0.5, 0.2, 0.3));
    analysis.badEdges.should.equal(0);
    analysis.degenerateTriangles.should.equal(0);
    analysis.volumeMm3.should.be.approximately(8, 1e-12);
  });
});
