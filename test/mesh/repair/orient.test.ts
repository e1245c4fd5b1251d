import 'should';
import { CLEAN } from '../../../src/mesh/repair/clean.js';
import { ORIENT } from '../../../src/mesh/repair/orient.js';
import { createContext } from '../../../src/mesh/repair/step.js';
import { createMeshState } from '../../../src/mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { joinBodies, makeComposition } from '../models/compositions.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { runStep } from './run-step.js';

/** A cube with a wall from edge to edge. Triangles 1, 3 and 8 to 11 are on one side of the wall. */
function makeWalledCube() {
  return { ...makeCube(), triangles: Uint32Array.from([...makeCube().triangles, 0, 2, 6, 0, 6, 4]) };
}

describe('the step orient', () => {
  it('leaves a consistently wound mesh unchanged, even if it is inverted', () => {
    runStep(ORIENT, makeCube()).changed.should.equal(0);
    runStep(ORIENT, turnedOver(makeCube())).changed.should.equal(0);
  });

  it('flips three triangles that contradict the others', () => {
    const { mesh, changed } = runStep(ORIENT, turnedOver(makeCube(), 0, 5, 9));
    changed.should.equal(3);
    mesh.should.deepEqual(makeCube());
  });

  it('keeps the winding of the larger area, not of more triangles', () => {
    // A tall box: the two triangles of each side outweigh the rest together.
    const tall = {
      ...makeCube(),
      positions: makeCube().positions.map((value, i) => (i % 3 === 2 ? value * 20 : value)),
    };
    runStep(ORIENT, turnedOver(tall, 0, 1, 2, 3)).mesh.should.deepEqual(tall);
  });

  it('orients each shell separately', () => {
    const two = joined(makeTorus(), placed(makeTorus(), [100, 0, 0]));
    runStep(ORIENT, turnedOver(two, 3, 1300, 1301, 2000)).mesh.should.deepEqual(two);
  });

  it('turns an inverted body outward that touches another along an edge', () => {
    const cube = makeCube();
    // The second cube shares the edge from 1 1 -1 to 1 1 1 (vertices 2 and 6) and is inverted.
    const second = [2, 8, 9, 10, 6, 11, 12, 13];
    const positions = [...cube.positions, 3, 1, -1, 3, 3, -1, 1, 3, -1, 3, 1, 1, 3, 3, 1, 1, 3, 1];
    const inverted = Array.from(turnedOver(cube).triangles, (vertex) => second[vertex] ?? 0);
    const touching = {
      positions: Float64Array.from(positions),
      triangles: Uint32Array.from([...cube.triangles, ...inverted]),
    };
    const { analysis, changed } = runStep(ORIENT, touching);
    changed.should.equal(12);
    analysis.volumeMm3.should.be.approximately(16, 1e-12);
  });

  it('turns the surface on one side of a wall outward', () => {
    const inverted = turnedOver(makeWalledCube(), 1, 3, 8, 9, 10, 11);
    const { mesh, changed } = runStep(ORIENT, inverted);
    changed.should.equal(6);
    mesh.should.deepEqual(makeWalledCube());
  });

  it('keeps the winding of a body with a wall where another body overlaps it', () => {
    const overlapping = joined(makeWalledCube(), placed(makeCube(), [0.9, 0.1, -0.5]));
    runStep(ORIENT, overlapping).changed.should.equal(0);
  });

  it('keeps the winding of a void with a wall', () => {
    const cavity = joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(makeWalledCube()));
    runStep(ORIENT, cavity).changed.should.equal(0);
  });

  it('leaves one or two inconsistent edges in a Möbius strip', () => {
    const corners = Array.from({ length: 6 }, (_, i) => i);
    const ring = corners.flatMap((i) => {
      const [around, about] = [(Math.PI * i) / 3, (Math.PI * i) / 6];
      return [-1, 1].map((side) => {
        const radius = 4 + side * Math.cos(about);
        return [radius * Math.cos(around), radius * Math.sin(around), side * Math.sin(about)];
      });
    });
    const strip = corners.flatMap((i) => {
      const [a, b] = [i * 2, i * 2 + 1];
      const [c, d] = i === 5 ? [1, 0] : [i * 2 + 2, i * 2 + 3];
      return [
        [a, c, b],
        [b, c, d],
      ];
    });
    runStep(ORIENT, meshOf(ring, strip)).analysis.inconsistentEdges.should.be.within(1, 2);
  });

  it('flips nothing where bodies that overlap have triangles in common', () => {
    for (const seed of [1500, 1881, 6505]) {
      const { mesh } = runStep(CLEAN, joinBodies(makeComposition(seed), false));
      runStep(ORIENT, mesh).changed.should.equal(0);
    }
  });

  it('reports that thousands of triangles at one edge reached the limit of its work', () => {
    const count = 2000;
    const pages = Array.from({ length: count }, (_, i) => [0, 1, i + 2]);
    const rim = pages.map((_, i) => {
      const angle = (2 * Math.PI * i) / count;
      return [50 * Math.cos(angle), 50 * Math.sin(angle), i % 7];
    });
    const book = meshOf([[0, 0, 0], [0, 0, 10], ...rim], pages);
    const listWarnings = (minRayTests: number) => {
      const { mesh, index } = createMeshState(toTaggedMesh(book));
      const context = createContext(100);
      const { notes } = ORIENT.run(mesh, { ...context, budget: { ...context.budget, minRayTests }, index });
      return (notes.warnings ?? []).map(({ code }) => code);
    };
    listWarnings(0).should.deepEqual(['WORK_LIMIT_REACHED']);
    listWarnings(Number.POSITIVE_INFINITY).should.be.empty();
  });
});
