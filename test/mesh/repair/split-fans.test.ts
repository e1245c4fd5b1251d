import 'should';
import { SPLIT_FANS } from '../../../src/mesh/repair/split-fans.js';
import { makeCube } from '../models/cube.js';
import { meshOf } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { runStep } from './run-step.js';

describe('the step fans', () => {
  it('leaves a manifold as it is', () => {
    runStep(SPLIT_FANS, makeTorus()).should.containEql({ changed: 0 });
  });

  it('gives each body its own vertex where two touch at one', () => {
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

  it('gives each body its own edge where two touch along one', () => {
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

  it('splits an edge at its middle where a body touches itself along it', () => {
    // A frame of eight cubes' cells round a square hole would not do: here two cells of an L-shaped ring meet at one edge only.
    const cells = [
      [0, 0, 0],
      [0, 1, 0],
      [0, 1, 1],
      [1, 1, 1],
      [1, 0, 1],
      [1, 0, 0],
      [1, -1, 0],
      [0, -1, 0],
    ].filter(
      ([x = 0, y = 0, z = 0]) => !(x === 1 && y === 0 && z === 0) && !(x === 0 && y === -1) && !(x === 1 && y === -1),
    );
    const { analysis } = runStep(SPLIT_FANS, voxels(cells));
    analysis.badEdges.should.equal(0);
    analysis.nonManifoldVertices.should.equal(0);
    analysis.volumeMm3.should.be.approximately(cells.length, 1e-12);
  });
});

/** The surface of unit cells, vertices shared by place. */
function voxels(cells: readonly number[][]) {
  const isFilled = new Set(cells.map(String));
  const vertices = new Map<string, number>();
  const positions: number[][] = [];
  const at = (place: readonly number[]) => {
    const known = vertices.get(String(place));
    if (known !== undefined) return known;
    vertices.set(String(place), positions.length);
    return positions.push([...place]) - 1;
  };
  const triangles: number[][] = [];
  for (const cell of cells) {
    for (const axis of [0, 1, 2]) {
      for (const side of [0, 1]) {
        if (isFilled.has(String(cell.map((part, k) => part + (k === axis ? side * 2 - 1 : 0))))) continue;
        const corner = (u: number, v: number) =>
          at(cell.map((part, k) => part + (k === axis ? side : k === (axis + 1) % 3 ? u : v)));
        const [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        triangles.push(
          ...(side === 1
            ? [
                [a, b, c],
                [a, c, d],
              ]
            : [
                [a, c, b],
                [a, d, c],
              ]),
        );
      }
    }
  }
  return meshOf(positions, triangles);
}
