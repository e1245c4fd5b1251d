import should from 'should';
import { repairUnited } from '../../../src/mesh/repair/repair-united.js';
import { makeBox } from '../models/compositions.js';
import { without } from '../models/mesh-of.js';
import { joinObjects } from '../models/objects.js';

const box = (...min: number[]) => makeBox(min, [1, 1, 1]);

describe('repairUnited', () => {
  it('names the parts that touch at a face or overlap, and no others', () => {
    const apart = without(box(9, 0, 0), 2);
    const { mesh, report } = repairUnited(
      joinObjects(box(0, 0, 0), box(1, 0, 0), apart, box(4, 0, 0), box(4.5, 0.5, 0.5), box(4, 1, 1)),
    );
    should(report.unitedParts).deepEqual(['part 0', 'part 1', 'part 3', 'part 4', 'part 5']);
    report.warnings.should.deepEqual([
      { code: 'PARTS_UNITED', message: '5 parts were united: part 0, part 1, part 3, part 4, part 5.' },
    ]);
    report.after.shells.should.equal(3);
    should(mesh.objects?.map(({ name }) => name)).containEql('part 2');
  });

  it('names a part that is inside another', () => {
    const { report } = repairUnited(
      joinObjects(makeBox([0, 0, 0], [3, 3, 3]), box(1, 1, 1), without(box(5, 0, 0), 1)),
      {
        innerShells: 'merge',
      },
    );
    should(report.unitedParts).deepEqual(['part 0', 'part 1']);
  });

  it('names none if nothing is united, and leaves a solid unchanged', () => {
    const solid = joinObjects(box(0, 0, 0), box(2, 0, 0));
    const unchanged = repairUnited(solid);
    unchanged.mesh.should.equal(solid);
    should(unchanged.report.unitedParts).be.undefined();
    const { report, mesh } = repairUnited(joinObjects(without(box(0, 0, 0), 3), box(2, 0, 0), box(4, 1, 0)));
    should(report.unitedParts).be.undefined();
    should(mesh.objects?.map(({ name }) => name)).deepEqual(['part 0', 'part 1', 'part 2']);
  });

  it('keeps the names of objects, also equal ones', () => {
    const { objects = [], ...mesh } = joinObjects(without(box(0, 0, 0), 3), box(2, 0, 0));
    const names = repairUnited({ ...mesh, objects: objects.map((object) => ({ ...object, name: 'same' })) }).mesh
      .objects;
    should(names?.map(({ name }) => name)).deepEqual(['same', 'same']);
  });

  it('counts the names beyond 20', () => {
    const boxes = Array.from({ length: 25 }, (_, x) => box(x, 0, 0));
    const { report } = repairUnited(joinObjects(...boxes));
    should(report.unitedParts?.length).equal(25);
    should(report.warnings[0]?.message).match(/^25 parts were united: part 0, .*part 19 and 5 others\.$/);
  });
});
