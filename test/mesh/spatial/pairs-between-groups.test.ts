import 'should';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { forEachPairBetweenGroups } from '../../../src/mesh/spatial/pairs-between-groups.js';
import { makeBall } from '../models/bodies.js';
import { joined, placed } from '../models/mesh-of.js';

/** Lists the pairs of triangles of different balls, the lower one first. */
function listPairs(offsets: readonly number[], marginMm: number): string[] {
  const ball = makeBall(10, 1);
  const { positions, triangles } = joined(...offsets.map((x) => placed(ball, [x, 0, 0])));
  const groupOf = Uint32Array.from({ length: triangles.length / 3 }, (_, i) =>
    Math.floor(i / (ball.triangles.length / 3)),
  );
  const pairs: string[] = [];
  forEachPairBetweenGroups(buildBvh(positions, triangles), groupOf, marginMm, (a, b) => {
    pairs.push(`${Math.min(a, b)} ${Math.max(a, b)}`);
    return true;
  });
  return pairs;
}

describe('forEachPairBetweenGroups', () => {
  it('visits each near pair of different groups once', () => {
    const pairs = listPairs([0, 1.5, 20], 0.01);
    pairs.length.should.be.above(20);
    new Set(pairs).size.should.equal(pairs.length);
    const count = makeBall(10, 1).triangles.length / 3;
    for (const pair of pairs) {
      const [a = 0, b = 0] = pair.split(' ').map(Number);
      a.should.be.below(count);
      b.should.be.within(count, count * 2 - 1);
    }
  });

  it('visits none if the groups are farther apart than the margin', () => {
    listPairs([0, 2.02], 0.01).should.be.empty();
    listPairs([0, 2.02], 0.03).length.should.be.above(0);
  });
});
