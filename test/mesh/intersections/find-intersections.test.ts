import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { findIntersections } from '../../../src/mesh/intersections/find-intersections.js';
import { buildEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { BODIES } from '../models/bodies.js';
import { createRandom } from '../models/random.js';
import { TANGLES } from '../models/tangles.js';
import { rotated } from '../models/transform.js';

const meshOf = (positions: number[], triangles: number[]): IndexedMesh => ({
  positions: Float64Array.from(positions),
  triangles: Uint32Array.from(triangles),
});

/** What `findIntersections` says, as plain arrays; also asserts that turning and shuffling the mesh changes nothing. */
const find = (positions: number[], triangles: number[]) => {
  const plain = (mesh: IndexedMesh) => {
    const { crossing, overlapping, isComplete } = findIntersections(mesh);
    return { crossing: [...crossing], overlapping: [...overlapping], isComplete };
  };
  const found = plain(meshOf(positions, triangles));
  const turned = positions.map((_, i) => positions[i - (i % 3) + ((i + 1) % 3)] ?? 0);
  plain(meshOf(turned, triangles)).should.deepEqual(found);
  const backwards = triangles.toReversed();
  const last = triangles.length / 3 - 1;
  const renumber = (list: number[]) => list.map((triangle) => last - triangle).reverse();
  const { crossing, overlapping, isComplete } = plain(meshOf(positions, backwards));
  should({ crossing: renumber(crossing), overlapping: renumber(overlapping), isComplete }).deepEqual(found);
  return found;
};

const NONE = { crossing: [], overlapping: [], isComplete: true };
const BOTH_CROSS = { ...NONE, crossing: [0, 1] };
const BOTH_OVERLAP = { ...NONE, overlapping: [0, 1] };

// A triangle in the plane z = 0, and the corners of others.
const BASE = [
  [0, 0, 0],
  [4, 0, 0],
  [0, 4, 0],
].flat();

describe('findIntersections', () => {
  it('finds nothing in no triangle, and in one', () => {
    find([], []).should.deepEqual(NONE);
    find(BASE, [0, 1, 2]).should.deepEqual(NONE);
  });

  it('finds two triangles of which one is stuck through the other', () => {
    find([...BASE, 1, 1, -1, 1, 1, 1, 5, 5, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('finds a corner that touches the other triangle from above', () => {
    find([...BASE, 1, 1, 0, 1, 1, 1, 2, 1, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('finds edges that cross in one point, each outside the other triangle but for it', () => {
    find([...BASE, 2, 0, -1, 2, 0, 1, 2, -3, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('finds a vertex of another number in the same place', () => {
    find([...BASE, 0, 0, 0, -1, 0, 1, -1, 1, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('lets triangles be that lie above each other, however near', () => {
    find([...BASE, 0, 0, 1e-300, 4, 0, 1e-300, 0, 4, 1e-300], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
  });

  it('lets triangles be whose boxes overlap and that pass each other', () => {
    find([...BASE, 3, 3, -1, 3, 3, 1, 5, 5, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
  });

  describe('of triangles that share an edge', () => {
    it('lets a fold be, however sharp', () => {
      find([...BASE, 1, 1, 1e-12], [0, 1, 2, 1, 0, 3]).should.deepEqual(NONE);
    });

    it('lets neighbours in one plane be', () => {
      find([...BASE, 4, 4, 0], [0, 1, 2, 2, 1, 3]).should.deepEqual(NONE);
    });

    it('finds one folded flat onto the other', () => {
      find([...BASE, 1, 1, 0], [0, 1, 2, 1, 0, 3]).should.deepEqual(BOTH_OVERLAP);
    });

    it('finds a duplicate, turned round too', () => {
      find(BASE, [0, 1, 2, 0, 2, 1]).should.deepEqual(BOTH_OVERLAP);
    });
  });

  describe('of triangles that share one vertex', () => {
    it('lets a fan be', () => {
      find([...BASE, -4, 0, 0, 0, -4, 0], [0, 1, 2, 0, 3, 4]).should.deepEqual(NONE);
    });

    it('finds one stuck through the edge across from the vertex', () => {
      find([...BASE, 3, 3, -1, 3, 3, 1], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds one whose edge runs inside the other', () => {
      find([...BASE, 1, 1, 0, 1, 1, 1], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds an edge that lies along an edge of the other', () => {
      find([...BASE, 2, 0, 0, 1, 0, 5], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds an edge along an edge of the other, both in one plane', () => {
      find([...BASE, 2, 0, 0, 2, -2, 0], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds shared area in one plane', () => {
      find([...BASE, 3, 1, 0, 1, 3, 0], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_OVERLAP);
    });
  });

  describe('of triangles in one plane that share no vertex', () => {
    it('lets those be that have a gap between them', () => {
      find([...BASE, 5, 0, 0, 9, 0, 0, 5, 4, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
    });

    it('finds an edge that lies along an edge', () => {
      find([...BASE, 1, 0, 0, 3, 0, 0, 2, -2, 0], [0, 1, 2, 3, 5, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds one within the other', () => {
      find([...BASE, 1, 1, 0, 2, 1, 0, 1, 2, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_OVERLAP);
    });
  });

  it('passes over a triangle without area', () => {
    find([...BASE, 1, 1, -1, 1, 1, 0, 1, 1, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
  });

  it('finds the one crossing among many triangles', () => {
    const positions: number[] = [];
    const triangles: number[] = [];
    const add = (...corners: number[]) => {
      triangles.push(...[0, 1, 2].map((i) => positions.length / 3 + i));
      positions.push(...corners);
    };
    for (let i = 0; i < 400; i++) add(i * 5, 0, 0, i * 5 + 4, 0, 0, i * 5, 4, 0);
    add(1001, 1, -1, 1001, 1, 1, 1001, 2, 1);
    find(positions, triangles).should.deepEqual({ ...NONE, crossing: [200, 400] });
  });

  it('says that it gave up where too many lie in one place', () => {
    const fans = Array.from({ length: 90 }, (_, i) => [0, 0, 0, 1, i / 90, 0, 1, i / 90, 1]).flat();
    const mesh = meshOf(
      fans,
      Array.from({ length: 270 }, (_, i) => i),
    );
    findIntersections(mesh, { maxPairs: 100 }).isComplete.should.be.false();
    findIntersections(mesh).isComplete.should.be.true();
  });

  describe('with twins known, patches that lie side by side are passed over: it', () => {
    const bothWays = (mesh: IndexedMesh) => {
      const twins = findTwins(mesh.triangles, buildEdges(mesh.triangles, mesh.positions.length / 3));
      const found = findIntersections(mesh);
      findIntersections(mesh, { twins }).should.deepEqual(found);
      return found.crossing.length + found.overlapping.length;
    };

    it('finds the same in bodies, turned, crumpled, and with holes', () => {
      const bodies = [
        ...Object.values(TANGLES).map(({ mesh }) => mesh()),
        ...Object.values(BODIES)
          .slice(5)
          .map((make) => make()),
      ];
      const random = createRandom(3);
      for (const body of bodies) {
        const crumpled = { ...body, positions: body.positions.map((value) => value + (random() - 0.5) * 1.5) };
        const torn = { ...crumpled, triangles: crumpled.triangles.subarray(30) };
        for (const mesh of [body, rotated(body), crumpled, torn]) bothWays(mesh);
      }
    });

    it('finds the same in sheets that are rough, folded over and touch themselves on a grid', () => {
      const random = createRandom(11);
      let found = 0;
      for (let round = 0; round < 60; round++) {
        const slant = round % 3 === 0 ? 1.8 : 0.9; // how far vertices move: from 1 on, triangles turn over
        const height = round % 2 === 0 ? 0 : 0.3;
        const sheet = makeSheet(14, (x, y) => {
          const moved = [x + (random() - 0.5) * slant, y + (random() - 0.5) * slant, (random() - 0.5) * height];
          return round % 5 === 0 ? moved.map((part) => Math.round(part * 4) / 4) : moved;
        });
        found += bothWays(round % 7 === 0 ? rotated(sheet) : sheet);
      }
      found.should.be.above(1000);
    });

    it('finds where a ramp that winds upward comes down through itself', () => {
      // Seen from above all of it turns the same way, and the border crosses nothing but itself.
      const ramp = (pitch: number) =>
        makeSheet(40, (x, y) => {
          const angle = (x / 40) * 4 * Math.PI;
          return [(y + 10) * Math.cos(angle), (y + 10) * Math.sin(angle), pitch * Math.sin(angle / 4 + y / 20)];
        });
      bothWays(ramp(5)).should.be.above(0);
    });

    it('finds the folds of a fan that goes round its vertex twice', () => {
      // A double cone over a star of five points, walked as a pentagram: from above every triangle turns the same way.
      const star = [0, 2, 4, 1, 3].map((i) => [Math.cos((i * 2 * Math.PI) / 5), Math.sin((i * 2 * Math.PI) / 5), 0]);
      const positions = [...star.flat(), 0, 0, 1, 0, 0, -1];
      const triangles = [0, 1, 2, 3, 4].flatMap((i) => [i, (i + 1) % 5, 5, (i + 1) % 5, i, 6]);
      bothWays(meshOf(positions, triangles)).should.equal(10);
    });

    it('needs to look at few pairs where a surface is smooth', () => {
      const hill = makeSheet(60, (x, y) => [x, y, Math.sin(x / 9) * Math.cos(y / 7)]);
      const twins = findTwins(hill.triangles, buildEdges(hill.triangles, hill.positions.length / 3));
      findIntersections(hill, { maxPairs: 5000 }).isComplete.should.be.false();
      findIntersections(hill, { maxPairs: 0, twins }).should.deepEqual(findIntersections(hill));
    });
  });
});

/** A square sheet of size x size cells, each of two triangles; `at` says where its points are. */
function makeSheet(size: number, at: (x: number, y: number) => number[]): IndexedMesh {
  const row = size + 1;
  const positions = Array.from({ length: row * row }, (_, i) => at(i % row, Math.floor(i / row))).flat();
  const triangles = Array.from({ length: size * size }, (_, cell) => {
    const corner = (cell % size) + Math.floor(cell / size) * row;
    return [corner, corner + 1, corner + row, corner + 1, corner + row + 1, corner + row];
  }).flat();
  return meshOf(positions, triangles);
}
