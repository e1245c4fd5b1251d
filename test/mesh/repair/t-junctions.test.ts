import 'should';
import { T_JUNCTIONS } from '../../../src/mesh/repair/t-junctions.js';
import { makeCube } from '../models/cube.js';
import { without } from '../models/mesh-of.js';
import { runStep } from './run-step.js';

/** A cube of 2 mm. Only its top, not its front, is split at points on their common edge from -1 -1 1 to 1 -1 1. */
function makeCubeWithTJunctions(...xs: readonly number[]) {
  const cube = makeCube();
  const points = xs.flatMap((x) => [x, -1, 1]);
  const chain = [4, ...xs.map((_, i) => 8 + i), 5];
  const fan = chain.slice(1).flatMap((vertex, i) => [chain[i] ?? 0, vertex, 6]);
  const others = without(cube, 2).triangles;
  return {
    positions: Float64Array.from([...cube.positions, ...points]),
    triangles: Uint32Array.from([...others, ...fan]),
  };
}

describe('the step t-junctions', () => {
  it('leaves a closed mesh and a hole unchanged', () => {
    runStep(T_JUNCTIONS, makeCube()).changed.should.equal(0);
    runStep(T_JUNCTIONS, without(makeCube(), 2)).changed.should.equal(0);
  });

  it('splits an edge at a vertex on it', () => {
    const { analysis, changed } = runStep(T_JUNCTIONS, makeCubeWithTJunctions(0));
    changed.should.equal(1);
    analysis.badEdges.should.equal(0);
    analysis.triangles.should.equal(14);
    analysis.volumeMm3.should.be.approximately(8, 1e-12);
  });

  it('splits an edge at three vertices', () => {
    const { analysis } = runStep(T_JUNCTIONS, makeCubeWithTJunctions(-0.5, 0.2, 0.3));
    analysis.badEdges.should.equal(0);
    analysis.degenerateTriangles.should.equal(0);
    analysis.volumeMm3.should.be.approximately(8, 1e-12);
  });
});
