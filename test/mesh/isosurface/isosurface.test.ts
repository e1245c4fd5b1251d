import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import { isosurface } from '../../../src/mesh/isosurface/isosurface.js';
import { sampleDistanceField } from '../../../src/mesh/isosurface/sample-distance-field.js';
import { SparseField, storeNearValues } from '../../../src/mesh/isosurface/sparse-field.js';
import { createGridAround, type Grid } from '../../../src/mesh/spatial/grid.js';
import { createLattice, type Lattice } from '../../../src/mesh/spatial/lattice.js';
import { createRandom } from '../models/random.js';

const SIDES = ['inside', 'outside'] as const;

function ballField(radius: number) {
  return (x: number, y: number, z: number) => Math.hypot(x, y, z) - radius;
}
function latticeAround(radius: number, stepMm: number): Lattice {
  const box = { min: [-radius, -radius, -radius], max: [radius, radius, radius] };
  return createLattice(createGridAround(box, stepMm, stepMm));
}

/** A field with a random value at each corner. */
function randomField(grid: Grid, seed: number, pick: (random: () => number) => number): SparseField {
  const lattice = createLattice(grid);
  const field = new SparseField(lattice);
  const random = createRandom(seed * 31 + 1);
  const [countX, countY, countZ] = lattice.counts;
  for (let z = 0; z < countZ; z++)
    for (let y = 0; y < countY; y++) for (let x = 0; x < countX; x++) field.set(x, y, z, pick(random));
  return field;
}

describe('isosurface', () => {
  it('returns an outward solid with the volume of the body', () => {
    const field = sampleDistanceField(latticeAround(10, 0.5), ballField(10));
    const analysis = analyze(isosurface(field, { growingSide: 'outside' }));
    verdictOf(analysis).level.should.equal('solid');
    analysis.shells.should.equal(1);
    should(analysis.volumeMm3).be.approximately((4 / 3) * Math.PI * 1000, 15);
  });

  it('is exact to 1e-6 mm where the field is planar', () => {
    const field = sampleDistanceField(
      latticeAround(5, 0.7),
      (x, y, z) => Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) - 4,
    );
    const { positions } = isosurface(field, { growingSide: 'outside' });
    const isOn = (offset: number): boolean =>
      [0, 1, 2].some((k) => Math.abs(Math.abs(positions[offset + k] ?? 0) - 4) < 1e-6) ||
      [0, 1, 2].filter((k) => Math.abs(positions[offset + k] ?? 0) > 4 - 0.7).length > 1; // near an edge of the cube
    for (let offset = 0; offset < positions.length; offset += 3) should(isOn(offset)).be.true();
  });

  for (const growingSide of SIDES) {
    it(`returns a solid for random fields, growing the ${growingSide}`, () => {
      const grid: Grid = { min: [0, 0, 0], stepMm: 1, cells: [11, 9, 10] };
      for (let seed = 0; seed < 8; seed++) {
        const density = (growingSide === 'outside' ? 0.3 : 0.02) + seed / 20;
        const field = randomField(grid, seed, (random) => random() - density);
        const analysis = analyze(isosurface(field, { growingSide }));
        analysis.triangles.should.be.above(100);
        verdictOf(analysis).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      }
    });

    it(`returns a solid wherever its vertices are moved to, growing the ${growingSide}`, () => {
      const grid: Grid = { min: [3, -4, 5], stepMm: 0.7, cells: [11, 9, 10] };
      for (let seed = 0; seed < 8; seed++) {
        const random = createRandom(seed * 77 + 5);
        const field = randomField(grid, seed, () => random() - 0.3);
        const moveVertex = (point: Float64Array) => {
          for (let k = 0; k < 3; k++) point[k] = (point[k] ?? 0) + (random() - 0.5) * 2;
        };
        verdictOf(analyze(isosurface(field, { growingSide, moveVertex }))).level.should.equal('solid');
      }
    });

    it(`returns a solid for fields of zeros, infinities and tiny values, growing the ${growingSide}`, () => {
      const grid: Grid = { min: [-3, 5, 100], stepMm: 0.1, cells: [9, 9, 9] };
      const values = [0, -0, 1e-300, -1e-30, 1e300, -1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      const pick = (random: () => number): number => values[Math.floor(random() * values.length)] ?? 0;
      for (let seed = 0; seed < 4; seed++) {
        const field = randomField(grid, seed, pick);
        verdictOf(analyze(isosurface(field, { growingSide }))).level.should.equal('solid');
      }
    });
  }

  it('closes a body at the boundary of the grid, even if it is inside everywhere', () => {
    const lattice = createLattice({ min: [0, 0, 0], stepMm: 1, cells: [20, 17, 9] });
    for (const field of [
      sampleDistanceField(lattice, () => -1000),
      storeNearValues(lattice, new Float32Array(lattice.size).fill(-1000), 1),
    ]) {
      const analysis = analyze(isosurface(field, { growingSide: 'outside' }));
      verdictOf(analysis).level.should.equal('solid');
      should(analysis.volumeMm3).be.within(18 * 15 * 7, 20 * 17 * 9);
    }
  });

  it('returns the same surface for a field of which all values are given', () => {
    const lattice = latticeAround(10, 0.8);
    const values = new Float32Array(lattice.size);
    const [countX, countY] = lattice.counts;
    for (let i = 0; i < values.length; i++) {
      const corner = [i % countX, Math.floor(i / countX) % countY, Math.floor(i / (countX * countY))];
      const [x = 0, y = 0, z = 0] = corner.map((index, k) => (lattice.min[k] ?? 0) + index * lattice.stepMm);
      values[i] = ballField(9)(x, y, z);
    }
    const sampled = isosurface(sampleDistanceField(lattice, ballField(9)), { growingSide: 'outside' });
    should(isosurface(storeNearValues(lattice, values, 1.6), { growingSide: 'outside' })).deepEqual(sampled);
  });

  it('returns no triangles if no corner is inside', () => {
    const field = sampleDistanceField(latticeAround(1, 0.5), () => 1);
    isosurface(field, { growingSide: 'outside' }).triangles.length.should.equal(0);
  });
});

describe('sampleDistanceField', () => {
  it('reports increasing progress, and aborts if onProgress throws', () => {
    const reported: number[] = [];
    sampleDistanceField(latticeAround(10, 0.8), ballField(9), (progress) => reported.push(progress));
    reported.should.deepEqual([1, 2, 3, 4, 5, 6, 7, 8].map((part) => part / 8));
    should(() =>
      sampleDistanceField(latticeAround(10, 0.5), ballField(9), () => {
        throw new Error('stop');
      }),
    ).throw('stop');
  });
});
