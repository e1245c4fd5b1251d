import 'should';
import should from 'should';
import { parseModelSync } from '../../../../src/mesh/formats/parse-model.js';
import {
  BAMBU_CONFIG,
  bambuProject,
  meshOfBoxes,
  modelText,
  PRUSA_CONFIG,
  prusaConfig,
  prusaProject,
  type SlicerBox,
} from '../helper-bodies/slicer-files.js';
import { createZip } from '../zip/zip-bytes.js';

const BODY: SlicerBox = { min: [0, 0, 0], max: [20, 20, 10], name: 'body' };
const LID: SlicerBox = { min: [0, 0, 20], max: [20, 20, 22], name: 'Deckel &amp; Griff' };

function readNames(bytes: Uint8Array): string[] {
  return parseModelSync(bytes, { filename: 'a.3mf' }).mesh.objects?.map(({ name }) => name) ?? [];
}

describe('the parts of a project', () => {
  it('have the names of the list of Bambu Studio, which components have no other', () => {
    should(readNames(bambuProject([[BODY, LID], [BODY]]))).deepEqual(['body', 'Deckel & Griff', 'body']);
  });

  it('have the names of the volumes of PrusaSlicer', () => {
    should(readNames(prusaProject([[BODY, LID], [LID]]))).deepEqual(['body', 'Deckel & Griff', 'Deckel & Griff']);
  });

  it('have the name of their object if they have none', () => {
    const unnamed = [BODY, LID].map(({ min, max }) => ({ min, max }));
    should(readNames(bambuProject([unnamed, unnamed]))).deepEqual(['object 1', 'object 1', 'object 2', 'object 2']);
    should(readNames(prusaProject([unnamed]))).deepEqual(['object 1', 'object 1']);
  });

  it('have the name in the list rather than that of the object in the model', () => {
    const named = modelText(`<object id="1" name="Shape 7">${meshOfBoxes([BODY])}</object>`, '<item objectid="1"/>');
    should(readNames(createZip({ '3D/3dmodel.model': named, [PRUSA_CONFIG]: prusaConfig([[BODY]]) }))).deepEqual([
      'body',
    ]);
    const config = '<config><object id="1"><metadata key="name" value="thing"/></object></config>';
    should(readNames(createZip({ '3D/3dmodel.model': named, [BAMBU_CONFIG]: config }))).deepEqual(['Shape 7']);
  });

  it('have their name in each instance', () => {
    const items = '<item objectid="1"/><item objectid="1" transform="1 0 0 0 1 0 0 0 1 50 0 0"/>';
    should(readNames(prusaProject([[BODY]], items))).deepEqual(['body', 'body']);
  });
});
