import should from 'should';
import { collapseEdges } from '../../../src/mesh/reduce/collapse-edges.js';
import { HalfEdgeCollapseMesh } from '../../../src/mesh/reduce/half-edge-collapse-mesh.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { meshOf } from '../models/mesh-of.js';

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
});
