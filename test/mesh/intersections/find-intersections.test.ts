import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { findIntersections } from '../../../src/mesh/intersections/find-intersections.js';
import { buildEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { BODIES } from '../models/bodies.js';
import { createRandom } from '../models/random.js';
import { TANGLES } from '../models/tangles.js';
import { rotated } from '../models/transform.js';

function meshOf(positions: number[], triangles: number[]): IndexedMesh {
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/**
 * Returns the result of `findIntersections` as plain arrays. Also asserts that permuting the axes and reversing the
 * order of the triangles do not change it.
 */
function find(positions: number[], triangles: number[]) {
  const findPlain = (mesh: IndexedMesh) => {
    const { crossing, overlapping, isComplete } = findIntersections(mesh);
    return { crossing: [...crossing], overlapping: [...overlapping], isComplete };
  };
  const result = findPlain(meshOf(positions, triangles));
  const permuted = positions.map((_, i) => positions[i - (i % 3) + ((i + 1) % 3)] ?? 0);
  findPlain(meshOf(permuted, triangles)).should.deepEqual(result);
  const reversed = triangles.toReversed();
  const last = triangles.length / 3 - 1;
  const renumber = (list: number[]) => list.map((triangle) => last - triangle).reverse();
  const { crossing, overlapping, isComplete } = findPlain(meshOf(positions, reversed));
  should({ crossing: renumber(crossing), overlapping: renumber(overlapping), isComplete }).deepEqual(result);
  return result;
}

const NONE = { crossing: [], overlapping: [], isComplete: true };
const BOTH_CROSS = { ...NONE, crossing: [0, 1] };
const BOTH_OVERLAP = { ...NONE, overlapping: [0, 1] };

// A triangle in the plane z = 0. The tests append the corners of others.
const BASE = [
  [0, 0, 0],
  [4, 0, 0],
  [0, 4, 0],
].flat();

describe('findIntersections', () => {
  it('finds no intersections in an empty mesh and in a single triangle', () => {
    find([], []).should.deepEqual(NONE);
    find(BASE, [0, 1, 2]).should.deepEqual(NONE);
  });

  it('finds two triangles of which one pierces the other', () => {
    find([...BASE, 1, 1, -1, 1, 1, 1, 5, 5, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('finds a corner that touches the interior of the other triangle', () => {
    find([...BASE, 1, 1, 0, 1, 1, 1, 2, 1, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('finds edges that cross in a single common point', () => {
    find([...BASE, 2, 0, -1, 2, 0, 1, 2, -3, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('finds distinct vertices at the same position', () => {
    find([...BASE, 0, 0, 0, -1, 0, 1, -1, 1, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_CROSS);
  });

  it('accepts parallel triangles at a distance of 1e-300', () => {
    find([...BASE, 0, 0, 1e-300, 4, 0, 1e-300, 0, 4, 1e-300], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
  });

  it('accepts disjoint triangles with overlapping boxes', () => {
    find([...BASE, 3, 3, -1, 3, 3, 1, 5, 5, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
  });

  describe('with a shared edge', () => {
    it('accepts a sharp fold', () => {
      find([...BASE, 1, 1, 1e-12], [0, 1, 2, 1, 0, 3]).should.deepEqual(NONE);
    });

    it('accepts coplanar neighbors on different sides of the edge', () => {
      find([...BASE, 4, 4, 0], [0, 1, 2, 2, 1, 3]).should.deepEqual(NONE);
    });

    it('finds a triangle folded onto the other', () => {
      find([...BASE, 1, 1, 0], [0, 1, 2, 1, 0, 3]).should.deepEqual(BOTH_OVERLAP);
    });

    it('finds a duplicate of opposite winding', () => {
      find(BASE, [0, 1, 2, 0, 2, 1]).should.deepEqual(BOTH_OVERLAP);
    });
  });

  describe('with one shared vertex', () => {
    it('accepts a fan', () => {
      find([...BASE, -4, 0, 0, 0, -4, 0], [0, 1, 2, 0, 3, 4]).should.deepEqual(NONE);
    });

    it('finds an edge that crosses the other triangle at the opposite edge', () => {
      find([...BASE, 3, 3, -1, 3, 3, 1], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds an edge inside the other triangle', () => {
      find([...BASE, 1, 1, 0, 1, 1, 1], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds collinear overlapping edges', () => {
      find([...BASE, 2, 0, 0, 1, 0, 5], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds collinear overlapping edges of coplanar triangles', () => {
      find([...BASE, 2, 0, 0, 2, -2, 0], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds coplanar triangles that share area', () => {
      find([...BASE, 3, 1, 0, 1, 3, 0], [0, 1, 2, 0, 3, 4]).should.deepEqual(BOTH_OVERLAP);
    });
  });

  describe('with coplanar triangles without a shared vertex', () => {
    it('accepts triangles with a gap between them', () => {
      find([...BASE, 5, 0, 0, 9, 0, 0, 5, 4, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
    });

    it('finds edges that touch along a segment', () => {
      find([...BASE, 1, 0, 0, 3, 0, 0, 2, -2, 0], [0, 1, 2, 3, 5, 4]).should.deepEqual(BOTH_CROSS);
    });

    it('finds a triangle inside the other', () => {
      find([...BASE, 1, 1, 0, 2, 1, 0, 1, 2, 0], [0, 1, 2, 3, 4, 5]).should.deepEqual(BOTH_OVERLAP);
    });
  });

  it('skips a degenerate triangle', () => {
    find([...BASE, 1, 1, -1, 1, 1, 0, 1, 1, 1], [0, 1, 2, 3, 4, 5]).should.deepEqual(NONE);
  });

  it('finds the only crossing pair among 401 triangles', () => {
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

  it('reports an incomplete search if there are more than `maxPairs` pairs', () => {
    const fans = Array.from({ length: 90 }, (_, i) => [0, 0, 0, 1, i / 90, 0, 1, i / 90, 1]).flat();
    const mesh = meshOf(
      fans,
      Array.from({ length: 270 }, (_, i) => i),
    );
    findIntersections(mesh, { maxPairs: 100 }).isComplete.should.be.false();
    findIntersections(mesh).isComplete.should.be.true();
  });

  describe('with twins, which enable the contour test', () => {
    const countBothWays = (mesh: IndexedMesh) => {
      const twins = findTwins(mesh.triangles, buildEdges(mesh.triangles, mesh.positions.length / 3));
      const { checkedPairs, ...result } = findIntersections(mesh);
      const withTwins = findIntersections(mesh, { twins });
      withTwins.should.containDeep(result);
      withTwins.checkedPairs.should.be.belowOrEqual(checkedPairs);
      return result.crossing.length + result.overlapping.length;
    };

    it('finds the same intersections in solids that are rotated, crumpled or open', () => {
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
        for (const mesh of [body, rotated(body), crumpled, torn]) countBothWays(mesh);
      }
    });

    it('finds the same intersections in rough, folded and grid-aligned sheets', () => {
      const random = createRandom(11);
      let count = 0;
      for (let round = 0; round < 60; round++) {
        const amplitude = round % 3 === 0 ? 1.8 : 0.9; // of the vertices; from 1 on, triangles are inverted
        const height = round % 2 === 0 ? 0 : 0.3;
        const sheet = makeSheet(14, (x, y) => {
          const moved = [x + (random() - 0.5) * amplitude, y + (random() - 0.5) * amplitude, (random() - 0.5) * height];
          return round % 5 === 0 ? moved.map((part) => Math.round(part * 4) / 4) : moved;
        });
        count += countBothWays(round % 7 === 0 ? rotated(sheet) : sheet);
      }
      count.should.be.above(1000);
    });

    it('finds the self-intersections of a spiral ramp', () => {
      // Seen from above, all triangles have the same orientation, and only the contour intersects itself.
      const ramp = (pitch: number) =>
        makeSheet(40, (x, y) => {
          const angle = (x / 40) * 4 * Math.PI;
          return [(y + 10) * Math.cos(angle), (y + 10) * Math.sin(angle), pitch * Math.sin(angle / 4 + y / 20)];
        });
      countBothWays(ramp(5)).should.be.above(0);
    });

    it('finds the intersections of a fan that winds around its vertex twice', () => {
      // A double cone over a pentagram: seen from above, all triangles of a cone have the same orientation.
      const star = [0, 2, 4, 1, 3].map((i) => [Math.cos((i * 2 * Math.PI) / 5), Math.sin((i * 2 * Math.PI) / 5), 0]);
      const positions = [...star.flat(), 0, 0, 1, 0, 0, -1];
      const triangles = [0, 1, 2, 3, 4].flatMap((i) => [i, (i + 1) % 5, 5, (i + 1) % 5, i, 6]);
      countBothWays(meshOf(positions, triangles)).should.equal(10);
    });

    it('needs no pair tests for a smooth surface', () => {
      const hill = makeSheet(60, (x, y) => [x, y, Math.sin(x / 9) * Math.cos(y / 7)]);
      const twins = findTwins(hill.triangles, buildEdges(hill.triangles, hill.positions.length / 3));
      findIntersections(hill, { maxPairs: 5000 }).isComplete.should.be.false();
      const { checkedPairs: _, ...result } = findIntersections(hill);
      findIntersections(hill, { maxPairs: 0, twins }).should.deepEqual({ ...result, checkedPairs: 0 });
    });
  });
});

/** Creates a square sheet of size × size cells of two triangles each. `at` returns the position of a grid point. */
function makeSheet(size: number, at: (x: number, y: number) => number[]): IndexedMesh {
  const row = size + 1;
  const positions = Array.from({ length: row * row }, (_, i) => at(i % row, Math.floor(i / row))).flat();
  const triangles = Array.from({ length: size * size }, (_, cell) => {
    const corner = (cell % size) + Math.floor(cell / size) * row;
    return [corner, corner + 1, corner + row, corner + 1, corner + row + 1, corner + row];
  }).flat();
  return meshOf(positions, triangles);
}
