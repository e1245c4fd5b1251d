import should from 'should';
import { medianOrder } from '../../../src/mesh/spatial/median-order.js';
import { createExtreme, EXTREME_MODELS } from '../models/extremes.js';

describe('medianOrder', () => {
  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`contains each triangle once: ${name}`, () => {
      const { positions, triangles } = create(1000);
      const order = medianOrder(positions, triangles);
      should([...order].sort((a, b) => a - b)).deepEqual(Array.from({ length: 1000 }, (_, i) => i));
    });
  }

  it('is empty for a mesh without triangles', () => {
    medianOrder(new Float64Array(0), new Uint32Array(0)).length.should.equal(0);
  });

  it('divides the triangles around a vertex by their direction', () => {
    const { positions, triangles } = createExtreme('jagged cone', 2048);
    const order = medianOrder(positions, triangles);
    // The rim vertices of 64 triangles that are neighbors around a tip are at most 64 / 1024 of a turn apart.
    for (let first = 0; first < 2048; first += 64) {
      const angles = [...order.subarray(first, first + 64)].map((triangle) => {
        const vertex = (triangles[triangle * 3 + 1] ?? 0) * 3;
        return Math.atan2(positions[vertex + 1] ?? 0, positions[vertex] ?? 0);
      });
      const [x, y] = [Math.cos(angles[0] ?? 0), Math.sin(angles[0] ?? 0)];
      for (const angle of angles) (x * Math.cos(angle) + y * Math.sin(angle)).should.be.above(Math.cos(0.5));
    }
  });
});
