import 'should';
import { createWorkCounter } from '../../../src/mesh/core/work-counter.js';
import { EditableMesh } from '../../../src/mesh/editing/editable-mesh.js';
import { ZERO } from '../../../src/mesh/geometry/far-origin.js';
import { limitTests, repairBrokenTriangles } from '../../../src/mesh/rounding/repair-broken-triangles.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { makeCube } from '../models/cube.js';
import { joined, placed } from '../models/mesh-of.js';

const MAX_WORK = 10_000_000;

describe('repairBrokenTriangles', () => {
  it('gives up before half of its limit if it repairs hardly anything: thirty cubes at one place', () => {
    const cubeAt = (i: number) => placed(makeCube(), [1000 + i * 1e-9, 1000 + i * 1e-9, 1000 + i * 1e-9]);
    const { positions, triangles } = joined(...Array.from({ length: 30 }, (_, i) => cubeAt(i)));
    const rounded = positions.map(Math.fround);
    const broken = Array.from({ length: triangles.length / 3 }, (_, i) => i);
    const work = createWorkCounter(MAX_WORK);
    const limit = limitTests(broken.length, work);
    const isIgnored = new Uint8Array(broken.length);
    const surface = new EditableMesh(rounded, triangles.slice(), isIgnored, buildBvh(rounded, triangles), limit);
    repairBrokenTriangles(surface, broken, ZERO, work).length.should.be.above(300);
    (MAX_WORK - work.remaining()).should.be.within(1, limit / 2);
  });
});
