import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { makeBox } from '../models/compositions.js';
import { joined, without } from '../models/mesh-of.js';

const quad = (...corners: number[][]) => ({
  ...{ positions: Float64Array.from(corners.flat()), triangles: Uint32Array.of(0, 1, 2, 0, 2, 3) },
});
const cube = makeBox([0, 0, 0], [10, 10, 10]);
const fin = quad([0, 0, 10], [10, 0, 10], [10, 0, 30], [0, 0, 30]);
const otherFin = quad([0, 10, 10], [10, 10, 10], [10, 12, 30], [0, 12, 30]);
const verdictOf = (...meshes: IndexedMesh[]) => repair(joined(...meshes)).report.verdict;
const codesOf = (...meshes: IndexedMesh[]) => repair(joined(...meshes)).report.warnings.map(({ code }) => code);

describe('a repair of walls without thickness that are drawn from one side', () => {
  const bent = [
    quad([0, 0, 10], [10, 0, 10], [10, 2, 15], [0, 2, 15]),
    quad([0, 2, 15], [10, 2, 15], [10, 5, 18], [0, 5, 18]),
  ];
  const cases = {
    'a fin on an edge': [fin],
    'a triangle on an edge': [without(fin, 1)],
    'two fins': [fin, otherFin],
    'a bent fin': bent,
    'a sheet that touches a face': [quad([2, 5, 10], [8, 5, 10], [8, 5, 20], [2, 5, 20])],
    'a sheet through a face': [quad([2, 5, 5], [8, 5, 5], [8, 5, 20], [2, 5, 20])],
    'a sheet apart': [quad([20, 5, 5], [28, 5, 5], [28, 5, 20], [20, 5, 20])],
  };
  for (const [name, sheets] of Object.entries(cases))
    it(`warns of ${name} on a cube, and says that the model needs a check`, () => {
      verdictOf(cube, ...sheets).should.deepEqual({
        ...{ level: 'solid', needsRepair: true, reasons: ['walls without thickness'] },
      });
      codesOf(cube, ...sheets).should.containEql('ZERO_THICKNESS');
    });

  it('counts their triangles', () => {
    const { warnings } = repair(joined(cube, fin, otherFin)).report;
    warnings
      .map(({ message }) => message)
      .should.deepEqual([
        '4 triangles are of walls without thickness, which enclose nothing. Give the walls a thickness.',
      ]);
  });

  it('does not warn of walls inside a body, or of holes', () => {
    codesOf(cube, quad([0, 0, 10], [10, 0, 10], [10, 5, 5], [0, 5, 5])).should.deepEqual([]);
    codesOf(cube, quad([2, 5, 5], [8, 5, 5], [8, 5, 8], [2, 5, 8])).should.deepEqual([]);
    codesOf(without(cube, 0)).should.deepEqual([]);
    codesOf(without(cube, 0), without(makeBox([10, 0, 0], [5, 10, 10]), 3)).should.deepEqual([]);
  });
});
