import should from 'should';
import type { HelperBodies, IndexedMesh, SlicerFamily } from '../../../../src/mesh/core/mesh.js';
import { parseModelSync } from '../../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { ZipArchive } from '../../../../src/mesh/formats/zip/zip-reader.js';
import { bambuProject, prusaProject, type SlicerBox } from '../helper-bodies/slicer-files.js';

const BODY: SlicerBox = { min: [0, 0, 0], max: [20, 20, 10], name: 'body' };
const LID: SlicerBox = { min: [0, 0, 10], max: [20, 20, 12], name: '<lid> & "knob"' };
const HOLE: SlicerBox = { min: [5, 5, 5], max: [15, 15, 30], name: 'hole' };
const FAR: SlicerBox = { min: [100, 0, 0], max: [120, 20, 10], name: 'other' };

/** Two objects: the first one has two parts and a negative volume, the second one a part and a modifier. */
function createProject(slicer: SlicerFamily): Buffer {
  const [negative, modifier] =
    slicer === 'prusa' ? ['NegativeVolume', 'ParameterModifier'] : ['negative_part', 'modifier_part'];
  const objects = [
    [BODY, { ...HOLE, role: negative }, { ...LID, name: 'lid' }],
    [FAR, { ...HOLE, min: [105, 5, -5] as const, max: [106, 6, 50] as const, name: 'infill', role: modifier }],
  ];
  return slicer === 'prusa' ? prusaProject(objects) : bambuProject(objects);
}

function keep(bytes: Uint8Array): { mesh: IndexedMesh; helpers: HelperBodies } {
  const { mesh, helpers } = parseModelSync(bytes, { filename: 'a.3mf', helpers: 'keep' });
  if (!helpers) throw new Error('The file has no helper bodies.');
  return { mesh, helpers };
}

function write(mesh: IndexedMesh, helpers: HelperBodies): Buffer {
  return Buffer.concat([...serializeModel(mesh, '3mf', helpers)]);
}

/** Lists the coordinates of the corners of all triangles. */
function listCorners({ positions, triangles }: IndexedMesh): string[] {
  return Array.from(triangles, (vertex) => positions.subarray(vertex * 3, vertex * 3 + 3).join());
}

describe('an export of kept helper bodies to 3MF', () => {
  for (const slicer of ['prusa', 'bambu'] satisfies SlicerFamily[])
    it(`has the names, roles and objects of the file, in the layout of ${slicer}`, () => {
      const { mesh, helpers } = keep(createProject(slicer));
      const again = keep(write(mesh, helpers));
      should(again.helpers.slicer).equal(slicer);
      should(again.helpers.objects).deepEqual(helpers.objects);
      should(again.mesh.objects).deepEqual(mesh.objects);
      should(listCorners(again.helpers)).deepEqual(listCorners(helpers));
      should(listCorners(again.mesh)).deepEqual(listCorners(mesh));
      const list = slicer === 'prusa' ? 'Metadata/Slic3r_PE_model.config' : 'Metadata/model_settings.config';
      should(new ZipArchive(write(mesh, helpers)).names).containEql(list);
    });

  it('is one object if an operation has united the parts', () => {
    const { mesh, helpers } = keep(createProject('prusa'));
    const { positions, triangles } = mesh;
    const again = keep(write({ positions, triangles }, helpers));
    should(again.helpers.objects.map(({ group }) => group)).deepEqual([0, 0]);
  });

  it('encodes names, and leaves out triangles without three corners from the ranges', () => {
    const { mesh, helpers } = keep(prusaProject([[BODY, { ...LID, name: 'lid', role: 'SupportBlocker' }]]));
    mesh.triangles.set([0, 0, 1]);
    const objects = helpers.objects.map((object) => ({ ...object, name: LID.name ?? '' }));
    const again = keep(write(mesh, { ...helpers, objects }));
    should(again.helpers.objects).match([{ name: LID.name, triangleCount: 12 }]);
    should(again.mesh.triangles.length).equal(11 * 3);
  });

  it('leaves out bodies for which the slicers have no role', () => {
    const { mesh, helpers } = keep(
      prusaProject([[BODY, { ...LID, name: 'lid', role: 'SupportBlocker' }, { ...HOLE, role: '1' }]]),
    );
    const [first, second] = helpers.objects;
    if (!first || !second) throw new Error('A helper body is missing.');
    const objects = [
      { ...first, role: 'support' as const },
      { ...second, role: 'other' as const },
    ];
    const bytes = write(mesh, { ...helpers, objects });
    const { mesh: again, helpers: none } = parseModelSync(bytes, { filename: 'a.3mf', helpers: 'keep' });
    should(none).be.undefined();
    should(again.triangles.length).equal(mesh.triangles.length);
  });
});
