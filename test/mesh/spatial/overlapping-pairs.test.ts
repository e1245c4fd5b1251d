import 'should';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { forEachOverlappingPair } from '../../../src/mesh/spatial/overlapping-pairs.js';
import { createRandom } from '../models/random.js';

const COUNT = 400;
const random = createRandom(3);
const positions = Float64Array.from(
  { length: COUNT * 9 },
  (_, i) => (i % 3 === 0 ? Math.floor(i / 9) / 4 : 0) + random(),
);
const triangles = Uint32Array.from({ length: COUNT * 3 }, (_, i) => i);
const near = buildBvh(positions, triangles);

/** Returns the visited pairs, as `a b` with a below b, in order. */
function listPairs(isRelevant?: Uint8Array, tree = near): string[] {
  const pairs: string[] = [];
  const visit = (a: number, b: number) => {
    pairs.push(`${Math.min(a, b)} ${Math.max(a, b)}`);
    return true;
  };
  forEachOverlappingPair(tree, visit, undefined, isRelevant);
  return pairs;
}

describe('forEachOverlappingPair', () => {
  it('visits no more pairs of a mesh whose coordinates are a billion times its size', () => {
    const distant = buildBvh(
      positions.map((value) => value + 1e11),
      triangles,
    );
    listPairs(undefined, distant).length.should.be.within(1, listPairs().length * 1.01);
  });

  it('visits each pair whose boxes touch once', () => {
    const pairs = listPairs();
    new Set(pairs).size.should.equal(pairs.length);
    const boundsOf = (choose: (...values: number[]) => number) =>
      Array.from({ length: COUNT }, (_, triangle) =>
        [0, 1, 2].map((axis) => choose(...[0, 3, 6].map((corner) => positions[triangle * 9 + corner + axis] ?? 0))),
      );
    const [mins, maxes] = [boundsOf(Math.min), boundsOf(Math.max)];
    const reaches = (a: number, b: number) => [0, 1, 2].every((k) => (mins[a]?.[k] ?? 0) <= (maxes[b]?.[k] ?? 0));
    let expected = 0;
    for (let a = 0; a < COUNT; a++) for (let b = a + 1; b < COUNT; b++) if (reaches(a, b) && reaches(b, a)) expected++;
    pairs.length.should.equal(expected);
  });

  it('visits only the pairs with a relevant triangle, in the same order', () => {
    const isRelevant = new Uint8Array(COUNT);
    for (const triangle of [0, 17, 300]) isRelevant[triangle] = 1;
    const expected = listPairs().filter((pair) =>
      pair.split(' ').some((triangle) => isRelevant[Number(triangle)] === 1),
    );
    listPairs(isRelevant).should.deepEqual(expected);
    expected.length.should.be.within(3, 40);
  });

  it('visits no pair if no triangle is relevant', () => {
    listPairs(new Uint8Array(COUNT)).should.be.empty();
  });
});
