import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { BlockSampler } from '../../../src/mesh/isosurface/block.js';
import { isosurface } from '../../../src/mesh/isosurface/isosurface.js';
import { createLipschitzSampler } from '../../../src/mesh/isosurface/lipschitz-sampler.js';
import { createGridAround, type Grid } from '../../../src/mesh/spatial/grid.js';
import { createRandom } from '../models/random.js';

function ballField(radius: number) {
  return (x: number, y: number, z: number) => Math.hypot(x, y, z) - radius;
}
function gridAround(radius: number, stepMm: number): Grid {
  return createGridAround({ min: [-radius, -radius, -radius], max: [radius, radius, radius] }, stepMm, stepMm);
}

/** A random field that has the same value at a corner in all blocks. */
function randomField(seed: number, pick: (random: () => number) => number): BlockSampler {
  return ({ first, cells }, values) => {
    for (let z = 0, index = 0; z <= cells[2]; z++) {
      for (let y = 0; y <= cells[1]; y++) {
        for (let x = 0; x <= cells[0]; x++, index++) {
          const random = createRandom(((first[2] + z) * 1000 + (first[1] + y) * 100 + first[0] + x) * 31 + seed);
          random();
          values[index] = pick(random);
        }
      }
    }
    return 0;
  };
}

describe('isosurface', () => {
  it('returns an outward solid with the volume of the body', () => {
    const mesh = isosurface(gridAround(10, 0.5), createLipschitzSampler(gridAround(10, 0.5), ballField(10)));
    const analysis = analyze(mesh);
    verdictOf(analysis).level.should.equal('solid');
    analysis.shells.should.equal(1);
    should(analysis.volumeMm3).be.approximately((4 / 3) * Math.PI * 1000, 15);
  });

  it('is exact to 1e-9 mm where the field is planar', () => {
    const grid = gridAround(5, 0.7);
    const { positions } = isosurface(
      grid,
      createLipschitzSampler(grid, (x, y, z) => Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) - 4),
    );
    const isOn = (offset: number): boolean =>
      [0, 1, 2].some((k) => Math.abs(Math.abs(positions[offset + k] ?? 0) - 4) < 1e-9) ||
      [0, 1, 2].filter((k) => Math.abs(positions[offset + k] ?? 0) > 4 - 0.7).length > 1; // near an edge of the cube
    for (let offset = 0; offset < positions.length; offset += 3) should(isOn(offset)).be.true();
  });

  it('returns a solid for random fields', () => {
    const grid: Grid = { min: [0, 0, 0], stepMm: 1, cells: [11, 9, 10] };
    for (let seed = 0; seed < 8; seed++) {
      const density = 0.1 + seed / 10;
      const analysis = analyze(
        isosurface(
          grid,
          randomField(seed, (random) => random() - density),
        ),
      );
      analysis.triangles.should.be.above(100);
      verdictOf(analysis).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
    }
  });

  it('returns a solid for fields of zeros, infinities and tiny values', () => {
    const grid: Grid = { min: [-3, 5, 100], stepMm: 0.1, cells: [9, 9, 9] };
    const values = [0, -0, 1e-300, -1e-300, 1e300, -1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const pick = (random: () => number): number => values[Math.floor(random() * values.length)] ?? 0;
    for (let seed = 0; seed < 4; seed++) {
      verdictOf(analyze(isosurface(grid, randomField(seed, pick)))).level.should.equal('solid');
    }
  });

  it('closes a body at the boundary of the grid, even if the sampler skips all blocks', () => {
    const grid: Grid = { min: [0, 0, 0], stepMm: 1, cells: [20, 17, 9] };
    for (const sample of [(): -1 => -1, createLipschitzSampler(grid, () => -1000)]) {
      const analysis = analyze(isosurface(grid, sample));
      verdictOf(analysis).level.should.equal('solid');
      should(analysis.volumeMm3).be.within(18 * 15 * 7, 20 * 17 * 9);
    }
  });

  it('returns no triangles if no corner is inside', () => {
    isosurface(gridAround(1, 0.5), () => 1).triangles.length.should.equal(0);
  });

  it('is deterministic and reports increasing progress', () => {
    const reported: number[] = [];
    const grid = gridAround(10, 0.8);
    const mesh = isosurface(grid, createLipschitzSampler(grid, ballField(9)), (progress) => reported.push(progress));
    should(isosurface(grid, createLipschitzSampler(grid, ballField(9)))).deepEqual(mesh);
    reported.length.should.be.above(2);
    reported.should.deepEqual([...reported].sort((a, b) => a - b));
  });

  it('aborts if onProgress throws', () => {
    const grid = gridAround(10, 0.5);
    should(() =>
      isosurface(grid, createLipschitzSampler(grid, ballField(9)), () => {
        throw new Error('stop');
      }),
    ).throw('stop');
  });
});
