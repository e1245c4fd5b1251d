import should from 'should';
import type { PlateSelection } from '../../../../src/mesh/formats/format.js';
import { parseModelSync } from '../../../../src/mesh/formats/parse-model.js';
import { bambuProject, prusaProject, type SlicerBox } from '../helper-bodies/slicer-files.js';
import { meshErrorOf } from '../mesh-error-of.js';

const LID: SlicerBox = { min: [0, 0, 0], max: [20, 20, 2], name: 'lid' };
const BOX: SlicerBox = { min: [100, 0, 0], max: [120, 20, 10], name: 'box' };

/** Returns a plate with these instances: the id of an object, and its index. */
function plate(number: number, name: string, ...instances: [number, number][]): string {
  const rows = instances.map(
    ([objectId, index]) =>
      `<model_instance><metadata key="object_id" value="${objectId}"/><metadata key="instance_id" value="${index}"/><metadata key="identify_id" value="9"/></model_instance>`,
  );
  return `<plate><metadata key="plater_id" value="${number}"/><metadata key="plater_name" value="${name}"/>${rows.join('')}</plate>`;
}

/** The lid is object 2, the box object 4. The lid is on both plates, and once on none. */
const BUILD =
  '<item objectid="2"/><item objectid="4"/><item objectid="2" transform="1 0 0 0 1 0 0 0 1 200 0 0"/><item objectid="2" transform="1 0 0 0 1 0 0 0 1 300 0 0"/>';
const PROJECT = bambuProject([[LID], [BOX]], {
  build: BUILD,
  more: plate(1, 'Lid &amp; box', [2, 0], [4, 0]) + plate(2, '', [2, 1]) + plate(3, 'empty'),
});

function read(selection?: PlateSelection, bytes: Uint8Array = PROJECT, filename = 'a.3mf') {
  const { mesh, warnings } = parseModelSync(bytes, { filename, plate: selection });
  return {
    names: mesh.objects?.map(({ name }) => name),
    x: mesh.positions[0],
    messages: warnings.map(({ message }) => message),
  };
}

describe('the plates of a project', () => {
  it('are all read by default, with a warning that names those with objects', () => {
    for (const selection of [undefined, 'all'] as const) {
      const { names, messages } = read(selection);
      should(names).deepEqual(['lid', 'box', 'lid', 'lid']);
      should(messages[0]).equal(
        'The file has 2 plates, which are read as one model: 1 “Lid & box”, 2. Select one by the parameter plate.',
      );
    }
  });

  it('are read one by one by their number, with the instances that are on them', () => {
    const first = read(1);
    should(first.names).deepEqual(['lid', 'box']);
    should(first.messages[0]).equal('One of 2 plates was read: 1 “Lid & box”. The others are 2.');
    const second = read(2);
    should(second).match({ names: ['lid'], x: 200 });
    should(second.messages[0]).equal('One of 2 plates was read: 2. The others are 1 “Lid & box”.');
  });

  it('are named by an error if the selected one does not exist, or is empty', () => {
    for (const selection of [3, 4]) {
      const error = meshErrorOf(() => read(selection));
      should(error.code).equal('PLATE_UNKNOWN');
      should(error.message).equal(
        `Could not find plate ${selection}: the plates with objects are 1 “Lid & box”, 2. Select one of them.`,
      );
    }
  });

  it('need no warning if only one has objects', () => {
    const project = bambuProject([[LID], [BOX]], { more: plate(1, '', [2, 0], [4, 0]) + plate(2, '') });
    for (const selection of [undefined, 1]) {
      const { names, messages } = read(selection, project);
      should(names).deepEqual(['lid', 'box']);
      should(messages).match([/^Slicer settings/]);
    }
  });

  it('are one in a file without plates, of any format', () => {
    const stl = Buffer.from(
      'solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 9 0 0\nvertex 0 9 0\nendloop\nendfacet\nendsolid a\n',
    );
    for (const [bytes, filename] of [
      [prusaProject([[LID]]), 'a.3mf'],
      [stl, 'a.stl'],
    ] as const) {
      should(read(1, bytes, filename).messages.join()).not.match(/plate/);
      const error = meshErrorOf(() => read(2, bytes, filename));
      should(error).match({ code: 'PLATE_UNKNOWN', message: /^Could not find plate 2: the file has no plates\. / });
    }
  });

  it('do not select objects that are not to be printed', () => {
    const build = BUILD.replace('objectid="4"', 'objectid="4" printable="0"');
    const project = bambuProject([[LID], [BOX]], {
      build,
      more: plate(1, 'a', [2, 0], [4, 0]) + plate(2, 'b', [2, 1]),
    });
    should(read(1, project)).match({ names: ['lid'], messages: [/plates was read: 1/, /not to be printed/, /./] });
    should(read(2, project).messages).match([/plates was read: 2/, /^Slicer settings/]);
  });
});
