import should from 'should';
import { oppositeMostNormal } from '../../../src/mesh/geometry/opposite-most-normal.js';

function unit(...vector: number[]): number[] {
  return vector.map((part) => part / Math.hypot(...vector));
}

/** Computes the largest cosine between a direction and the normals: negative if it points against all of them. */
function maxCosine(normals: readonly number[][], direction: readonly number[] = []): number {
  return Math.max(
    ...normals.map((normal) => normal.reduce((sum, part, k) => sum + part * (direction[k] ?? Number.NaN), 0)),
  );
}

describe('oppositeMostNormal', () => {
  it('returns the opposite of a single normal', () => {
    const direction = oppositeMostNormal([[0, 0, 1]]);
    [0, 1, 2].forEach((k) => {
      (direction?.[k] ?? 1).should.be.approximately([0, 0, -1][k] ?? 1, 1e-12);
    });
  });

  it('returns the inward diagonal for the corner of a cube', () => {
    const normals = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    maxCosine(normals, [...(oppositeMostNormal(normals) ?? [])]).should.be.approximately(-1 / Math.sqrt(3), 1e-12);
  });

  it('points against all normals if most of them are equal', () => {
    const normals = [...Array.from({ length: 20 }, () => unit(0, 0, 1)), unit(0.1, 0, -1), unit(0, 0.1, -0.9)];
    maxCosine(normals, [...(oppositeMostNormal(normals) ?? [])]).should.be.below(-0.01);
  });

  it('finds a direction for a corner that is nearly flat', () => {
    const normals = [unit(0, 0, 1), unit(0.01, 0, -1), unit(-0.01, 0.02, -1)];
    maxCosine(normals, [...(oppositeMostNormal(normals) ?? [])]).should.be.below(-0.002);
  });

  it('returns undefined for opposite normals and for no normals', () => {
    should(
      oppositeMostNormal([
        [0, 0, 1],
        [0, 0, -1],
      ]),
    ).be.undefined();
    should(oppositeMostNormal([])).be.undefined();
  });
});
