import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { findTwinsIfClosed } from '../../../src/mesh/topology/closed-twins.js';
import { buildEdges, type Edges, findBoundaryHalfEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { countClosedFans, findFans } from '../../../src/mesh/topology/fans.js';
import { pairTwinsRadially } from '../../../src/mesh/topology/pair-twins-radially.js';
import { findShells, findTwinShells } from '../../../src/mesh/topology/shells.js';
import { BODIES } from '../models/bodies.js';
import { makeCube } from '../models/cube.js';
import { joined, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { shuffled } from '../models/transform.js';

function edgesOf({ positions, triangles }: IndexedMesh): Edges {
  return buildEdges(triangles, positions.length / 3);
}

describe('buildEdges', () => {
  it('groups the half-edges of each edge', () => {
    // Two triangles that share the edge 1 2: half-edges 1 (1 → 2) and 3 (2 → 1).
    const { order, starts } = buildEdges(Uint32Array.of(0, 1, 2, 2, 1, 3), 4);
    const groups = Array.from({ length: starts.length - 1 }, (_, edge) => [
      ...order.subarray(starts[edge], starts[edge + 1]),
    ]);
    groups.should.deepEqual([[0], [2], [1, 3], [4], [5]]);
  });

  it('finds 1.5 edges per triangle in a closed mesh', () => {
    (edgesOf(makeTorus()).starts.length - 1).should.equal((makeTorus().triangles.length / 3) * 1.5);
  });

  it('takes linear time for a vertex with 200,000 triangles', () => {
    const count = 200_000;
    const fan = Uint32Array.from(
      { length: count * 3 },
      (_, i) => [0, Math.floor(i / 3) + 1, Math.floor(i / 3) + 2][i % 3] ?? 0,
    );
    findBoundaryHalfEdges(buildEdges(fan, count + 2)).length.should.equal(count + 2);
  });
});

describe('findTwins', () => {
  it('pairs the half-edges of a closed mesh', () => {
    const { triangles } = makeCube();
    const twins = findTwins(triangles, edgesOf(makeCube()));
    twins.every((twin, h) => twins[twin] === h && twin !== h).should.be.true();
  });

  it('finds no twins at boundaries and winding conflicts', () => {
    const countWithoutTwin = (mesh: IndexedMesh) =>
      findTwins(mesh.triangles, edgesOf(mesh)).filter((twin) => twin < 0).length;
    countWithoutTwin(without(makeCube(), 0)).should.equal(3);
    countWithoutTwin(turnedOver(makeCube(), 0)).should.equal(6);
  });
});

describe('findTwinsIfClosed', () => {
  const closedTwinsOf = ({ positions, triangles }: IndexedMesh) => findTwinsIfClosed(triangles, positions.length / 3);

  it('finds the same twins as `findTwins` in closed meshes, in any order of triangles', () => {
    for (const createBody of Object.values(BODIES).slice(0, 8)) {
      for (const mesh of [createBody(), shuffled(createBody())])
        should(closedTwinsOf(mesh)).deepEqual(findTwins(mesh.triangles, edgesOf(mesh)));
    }
  });

  it('finds the twins of a double cone with 3000 triangles at each apex', () => {
    const count = 3000;
    const triangles = Uint32Array.from(
      Array.from({ length: count }, (_, i) => [
        0,
        i + 2,
        ((i + 1) % count) + 2,
        1,
        ((i + 1) % count) + 2,
        i + 2,
      ]).flat(),
    );
    should(findTwinsIfClosed(triangles, count + 2)).deepEqual(findTwins(triangles, buildEdges(triangles, count + 2)));
  });

  it('returns undefined for a hole, a winding conflict, duplicate triangles and a triangle with equal corners', () => {
    const cube = makeCube();
    should(closedTwinsOf(without(cube, 0))).be.undefined();
    should(closedTwinsOf(turnedOver(cube, 0))).be.undefined();
    should(
      closedTwinsOf({ ...cube, triangles: Uint32Array.from([...cube.triangles, ...cube.triangles]) }),
    ).be.undefined();
    for (const extra of [
      [0, 0, 1],
      [1, 0, 0],
      [0, 0, 0],
    ])
      should(closedTwinsOf({ ...cube, triangles: Uint32Array.from([...cube.triangles, ...extra]) })).be.undefined();
  });

  it('accepts two triangles back to back as closed', () => {
    [...(findTwinsIfClosed(Uint32Array.of(0, 1, 2, 0, 2, 1), 3) ?? [])].should.deepEqual([5, 4, 3, 2, 1, 0]);
  });
});

describe('findFans', () => {
  it('finds one fan per vertex of a manifold, with and without boundaries', () => {
    for (const mesh of [makeCube(), makeTorus(), without(makeTorus(), 5, 6, 7)]) {
      findFans(findTwins(mesh.triangles, edgesOf(mesh))).count.should.equal(mesh.positions.length / 3);
    }
  });

  it('finds as many fans as `countClosedFans` in closed meshes, also if solids share a vertex', () => {
    const cube = makeCube();
    const second = cube.triangles.map((vertex) => (vertex === 0 ? 0 : vertex + 7));
    const positions = Float64Array.from([...cube.positions, ...cube.positions.subarray(3)]);
    const pair = { positions, triangles: Uint32Array.from([...cube.triangles, ...second]) };
    for (const [mesh, count] of [
      [cube, 8],
      [makeTorus(), makeTorus().positions.length / 3],
      [pair, 16],
    ] as const) {
      const twins = findTwins(mesh.triangles, edgesOf(mesh));
      countClosedFans(twins).should.equal(count);
      findFans(twins).count.should.equal(count);
    }
  });

  it('finds two fans at a vertex where two holes meet', () => {
    const mesh = without(makeCube(), 0, 10); // both at vertex 0
    findFans(findTwins(mesh.triangles, edgesOf(mesh))).count.should.equal(8 + 1);
  });
});

describe('findShells', () => {
  it('numbers shells by their first triangle', () => {
    const two = joined(makeCube(), makeTorus());
    const { shellOf, count } = findShells(two.triangles.length / 3, edgesOf(two));
    count.should.equal(2);
    [shellOf[0], shellOf[11], shellOf[12], shellOf.at(-1)].should.deepEqual([0, 0, 1, 1]);
  });
});

describe('pairTwinsRadially', () => {
  it('separates two cubes that share an edge', () => {
    // Two cubes that share the edge 2 6.
    const cube = makeCube();
    const second = [2, 8, 9, 10, 6, 11, 12, 13];
    const positions = Float64Array.from([...cube.positions, 3, 1, -1, 3, 3, -1, 1, 3, -1, 3, 1, 1, 3, 3, 1, 1, 3, 1]);
    const triangles = Uint32Array.from([
      ...cube.triangles,
      ...Array.from(cube.triangles, (vertex) => second[vertex] ?? 0),
    ]);
    const edges = buildEdges(triangles, 14);
    const twins = pairTwinsRadially(positions, triangles, edges);
    twins.every((twin, h) => twin >= 0 && twins[twin] === h).should.be.true();
    findTwinShells(twins).count.should.equal(2);
    findShells(24, edges).count.should.equal(1);
  });
});
