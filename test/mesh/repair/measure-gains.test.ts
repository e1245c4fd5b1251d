import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { measureGains } from '../../../src/mesh/repair/measure-gains.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { makeBall } from '../models/bodies.js';
import { makeBox } from '../models/compositions.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';

const box = makeBox([0, 0, 0], [10, 10, 10]);
const core = makeBox([3, 3, 3], [3, 3, 3]); // 2.7 % of the box

function measure(
  source: IndexedMesh,
  result: IndexedMesh,
  isFilledOnPurpose: (point: readonly number[]) => boolean = () => false,
): number {
  const state = { mesh: toTaggedMesh(source), index: createMeshIndex(source) };
  return measureGains(state, { result: createMeshIndex(result), maxDisplacementMm: 1e-5, isFilledOnPurpose });
}

describe('measureGains', () => {
  it('finds nothing in a mesh that did not change, that lost a part or whose parts were united', () => {
    const overlapping = joined(box, placed(box, [5, 5, 5]));
    for (const mesh of [box, rotated(joined(box, turnedOver(core))), makeBall(12, 5), turnedOver(box), overlapping])
      measure(mesh, mesh).should.equal(0);
    measure(overlapping, box).should.equal(0);
    measure(joined(box, core), box).should.equal(0);
  });

  it('estimates a void that was filled, also in a rotated mesh', () => {
    for (const turn of [(mesh: IndexedMesh) => mesh, rotated])
      measure(turn(joined(box, turnedOver(core))), turn(box)).should.be.approximately(0.027, 0.01);
  });

  it('estimates what was added outside', () => {
    measure(box, joined(box, placed(core, [20, 0, 0]))).should.be.approximately(27 / 1027, 0.01);
  });

  it('does not find what was filled on purpose, or less than half a percent', () => {
    measure(joined(box, turnedOver(core)), box, ([x = 0]) => x >= 3 && x <= 6).should.equal(0);
    measure(joined(box, turnedOver(makeBox([3, 3, 3], [1, 1, 1]))), box).should.equal(0);
  });

  it('counts a cavity only if the winding of the mesh makes sense', () => {
    const other = turnedOver(placed(box, [20, 0, 0]));
    measure(joined(box, turnedOver(core), other), joined(box, turnedOver(other))).should.equal(0);
  });

  it('does not judge open bodies', () => {
    measure(without(joined(box, turnedOver(core)), 0), box).should.equal(0);
  });
});
