import should from 'should';
import { collapseEdges } from '../../../src/mesh/reduce/collapse-edges.js';
import { HalfEdgeCollapseMesh } from '../../../src/mesh/reduce/half-edge-collapse-mesh.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { meshOf } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';

describe('collapseEdges', () => {
  it('collapses the center of a large fan at its cost, once enough of its neighbors were removed', () => {
    const count = 60;
    const rim = Array.from({ length: count }, (_, i) => {
      const angle = (i / count) * 2 * Math.PI;
      return [10 * Math.cos(angle), 10 * Math.sin(angle), 0];
    });
    const [top, bottom] = [count, count + 1];
    const fans = rim.flatMap((_, i) => [
      [i, (i + 1) % count, top],
      [(i + 1) % count, i, bottom],
    ]);
    const lens = meshOf([...rim, [0, 0, 0.5], [0, 0, -0.5]], fans);
    const surface = new HalfEdgeCollapseMesh(lens, new DistanceQuery(lens), { accuracyMm: 1, maxAngle: 60 });
    const collapses = collapseEdges(surface, new Uint8Array(count + 2).fill(1));
    // The centers are far from the planes of their fans on the other side; the neighbors on the rim are not.
    should(collapses.length).be.above(20);
    for (const { vertex } of collapses.slice(0, 20)) should(vertex).be.below(count);
  });

  describe('with earlier collapses', () => {
    const torus = makeTorus(40, 20);
    const vertexCount = torus.positions.length / 3;
    const createSurface = () =>
      new HalfEdgeCollapseMesh(torus, new DistanceQuery(torus), { accuracyMm: 0.3, maxAngle: 60 });
    const all = new Uint8Array(vertexCount).fill(1);
    const first = collapseEdges(createSurface(), all);
    const isEarlier = (vertex: number): boolean => first.some((collapse) => collapse.vertex === vertex);

    it('repeats them, and tests the vertices beside those that it cannot repeat', () => {
      const kept = first.slice(10, 13).map(({ vertex }) => vertex);
      const isRemovable = all.map((_, vertex) => (kept.includes(vertex) ? 0 : 1));
      const second = collapseEdges(createSurface(), isRemovable, { earlier: first }).map(({ vertex }) => vertex);
      for (const vertex of kept) second.should.not.containEql(vertex);
      should(second.filter((vertex) => !isEarlier(vertex)).length).be.above(0);
      should(second.length).be.above(first.length * 0.9);
    });

    it('tests no other vertices, unless the earlier call ended before all were tested', () => {
      const earlier = first.slice(0, 50);
      collapseEdges(createSurface(), all, { earlier }).should.deepEqual(earlier);
      should(collapseEdges(createSurface(), all, { earlier, testsAll: true }).length).be.above(first.length * 0.9);
    });

    it('tests the vertices that a new collapse changes in the order of their cost', () => {
      // A square that is flat on the left of x = 5 and rough on the right. Its boundary stays.
      const size = 12;
      const vertexAt = (x: number, y: number): number => y * size + x;
      const lattice = Array.from({ length: size ** 2 }, (_, vertex) => ({
        x: vertex % size,
        y: Math.floor(vertex / size),
      }));
      const isInner = (value: number): boolean => value > 0 && value < size - 1;
      const square = meshOf(
        lattice.map(({ x, y }) => [x, y, x > 5 && isInner(y) ? ((x * 7 + y * 3) % 5) * 0.05 : 0]),
        lattice
          .filter(({ x, y }) => x < size - 1 && y < size - 1)
          .flatMap(({ x, y }) => [
            [vertexAt(x, y), vertexAt(x + 1, y), vertexAt(x + 1, y + 1)],
            [vertexAt(x, y), vertexAt(x + 1, y + 1), vertexAt(x, y + 1)],
          ]),
      );
      const kept = vertexAt(3, 5);
      const isRemovable = lattice.map(({ x, y }, vertex) => (isInner(x) && isInner(y) && vertex !== kept ? 1 : 0));
      const surface = new HalfEdgeCollapseMesh(square, new DistanceQuery(square), { accuracyMm: 1, maxAngle: 60 });
      const earlier = [{ vertex: kept, target: kept - 1 }];
      const collapses = collapseEdges(surface, Uint8Array.from(isRemovable), { earlier });
      const isFlat = collapses.map(({ vertex }) => vertex % size < 5);
      should(isFlat.lastIndexOf(true)).be.above(20);
      should(isFlat.indexOf(false)).equal(isFlat.lastIndexOf(true) + 1);
    });
  });
});
