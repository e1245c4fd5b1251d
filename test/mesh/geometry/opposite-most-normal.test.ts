import should from 'should';
import { oppositeMostNormal } from '../../../src/mesh/geometry/opposite-most-normal.js';

const unit = (...vector: number[]) => vector.map((part) => part / Math.hypot(...vector));

/** The largest cosine between a direction and one of the normals: below zero where it leads behind all planes. */
const minBehind = (normals: readonly number[][], direction: readonly number[] = []) =>
  Math.max(...normals.map((normal) => normal.reduce((sum, part, k) => sum + part * (direction[k] ?? Number.NaN), 0)));

describe('directionBehind', () => {
  it('leads straight behind a single plane', () => {
    const direction = oppositeMostNormal([[0, 0, 1]]);
    [0, 1, 2].forEach((k) => {
      (direction?.[k] ?? 1).should.be.approximately([0, 0, -1][k] ?? 1, 1e-12);
    });
  });

  it('leads into the corner of a cube', () => {
    const normals = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    minBehind(normals, [...(oppositeMostNormal(normals) ?? [])]).should.be.approximately(-1 / Math.sqrt(3), 1e-12);
  });

  it('is not led astray by many triangles in one plane', () => {
    const normals = [...Array.from({ length: 20 }, () => unit(0, 0, 1)), unit(0.1, 0, -1), unit(0, 0.1, -0.9)];
    minBehind(normals, [...(oppositeMostNormal(normals) ?? [])]).should.be.below(-0.01);
  });

  it('finds the way into a corner that is nearly flat', () => {
    const normals = [unit(0, 0, 1), unit(0.01, 0, -1), unit(-0.01, 0.02, -1)];
    minBehind(normals, [...(oppositeMostNormal(normals) ?? [])]).should.be.below(-0.002);
  });

  it('finds none behind planes that face each other, nor behind no plane at all', () => {
    should(
      oppositeMostNormal([
        [0, 0, 1],
        [0, 0, -1],
      ]),
    ).be.undefined();
    should(oppositeMostNormal([])).be.undefined();
  });
});
