import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { findParts, namePart, splitParts } from '../../../src/mesh/spatial/split-parts.js';
import { makeBox } from '../models/compositions.js';
import { turnedOver, without } from '../models/mesh-of.js';
import { joinObjects } from '../models/objects.js';

const box = (...min: number[]) => makeBox(min, [1, 1, 1]);
const countParts = (...meshes: Parameters<typeof joinObjects>) => findParts(joinObjects(...meshes)).count;

describe('splitParts', () => {
  it('separates objects that touch, with their objects and without common vertices', () => {
    const mesh = joinObjects(box(0, 0, 0), box(1, 0, 0));
    const parts = splitParts(mesh);
    parts
      .map(({ positions, triangles }) => [positions.length, triangles.length])
      .should.deepEqual([
        [24, 36],
        [24, 36],
      ]);
    should(parts[1]?.objects).deepEqual([{ name: 'part 1', firstTriangle: 0, triangleCount: 12 }]);
    for (const { vertexOf, positions } of parts)
      for (const [vertex, whole] of vertexOf.entries())
        positions.slice(vertex * 3, vertex * 3 + 3).should.deepEqual(mesh.positions.slice(whole * 3, whole * 3 + 3));
  });

  it('separates bodies that touch at a face, edge or vertex, each grouped by the materials of its faces', () => {
    const facesOf = (mesh: IndexedMesh) =>
      Array.from({ length: 6 }, (_, face) => ({ ...mesh, triangles: mesh.triangles.slice(face * 6, face * 6 + 6) }));
    for (const offset of [
      [1, 0, 0],
      [1, 1, 0],
      [1, 1, 1],
    ])
      countParts(...facesOf(box(0, 0, 0)), ...facesOf(box(...offset))).should.equal(2, String(offset));
    countParts(...facesOf(box(0, 0, 0)), box(1, 0, 0), ...facesOf(box(2, 0, 0))).should.equal(3);
  });

  it('takes triangles of no object as one part', () => {
    const { objects = [], ...mesh } = joinObjects(box(0, 0, 0), box(1, 0, 0), box(3, 0, 0));
    const parts = splitParts({ ...mesh, objects: objects.slice(1, 2) });
    parts.map(({ objects: own = [] }) => own.length).should.deepEqual([0, 1]);
  });

  it('keeps parts with holes separate that touch elsewhere', () => {
    countParts(without(box(0, 0, 0), 0), without(box(0, 0, 1), 2)).should.equal(2);
  });

  it('joins a void with the smallest part around it', () => {
    const inside = turnedOver(makeBox([2, 2, 2], [1, 1, 1]));
    const [large, small] = [makeBox([0, 0, 0], [9, 9, 9]), makeBox([1, 1, 1], [3, 3, 3])];
    const { partOf, count } = findParts(joinObjects(large, inside, small));
    count.should.equal(2);
    should(partOf[2]).equal(partOf[3]);
  });

  it('does not take an inverted part beside another as a void', () => {
    countParts(box(0, 0, 0), turnedOver(box(1, 0, 0))).should.equal(2);
    countParts(turnedOver(makeBox([0, 0, 0], [3, 3, 3])), turnedOver(box(1, 1, 1))).should.equal(2);
  });
});

describe('namePart', () => {
  it('returns the name of the first object that has one, else a number', () => {
    const range = { firstTriangle: 0, triangleCount: 12 };
    namePart(
      {
        ...box(0, 0, 0),
        objects: [
          { name: '', ...range },
          { name: 'lid', ...range },
        ],
      },
      4,
    ).should.equal('lid');
    namePart(box(0, 0, 0), 4).should.equal('part 5');
  });
});
