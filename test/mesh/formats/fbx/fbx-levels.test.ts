import 'should';
import { disconnectCoarserLevels } from '../../../../src/mesh/formats/fbx/fbx-levels.js';
import { FBX_FORMS, type LodModel, lodFbx } from '../files/lod-fbx.js';
import { measureFile } from '../measure-file.js';

const GROUP: LodModel = { name: 'group', type: 'LodGroup' };
const fine = (name = 'fine', more: Partial<LodModel> = {}): LodModel => ({
  name,
  parent: 'group',
  faceCount: 6,
  ...more,
});
const coarse = (name = 'coarse', more: Partial<LodModel> = {}): LodModel => ({
  name,
  parent: 'group',
  faceCount: 2,
  ...more,
});

/** What the models are → the names of the objects that are read. */
const SCENES: Record<string, { models: LodModel[]; names: string[] }> = {
  'the first level': { models: [GROUP, fine(), coarse(), coarse('coarsest', { faceCount: 1 })], names: ['fine'] },
  'the level with the most polygons, whatever their order': { models: [GROUP, coarse(), fine()], names: ['fine'] },
  'the first of equal levels': { models: [GROUP, fine('a'), fine('b', { factor: 2 })], names: ['a'] },
  'a level of several models': {
    models: [
      GROUP,
      coarse('c', { faceCount: 4 }),
      { name: 'level', type: 'Null', parent: 'group' },
      { name: 'left', parent: 'level', faceCount: 3 },
      { name: 'right', parent: 'level', faceCount: 3, factor: 2 },
    ],
    names: ['left', 'right'],
  },
  'models beside a group, and the levels of each group': {
    models: [
      { name: 'beside', faceCount: 6 },
      GROUP,
      fine('a'),
      coarse('b'),
      { name: 'second', type: 'LodGroup' },
      { name: 'c', parent: 'second', faceCount: 5 },
      { name: 'd', parent: 'second', faceCount: 1 },
    ],
    names: ['beside', 'a', 'c'],
  },
  'a group in a level': {
    models: [
      GROUP,
      { name: 'inner', type: 'LodGroup', parent: 'group' },
      { name: 'a', parent: 'inner', faceCount: 1 },
      { name: 'b', parent: 'inner', faceCount: 4 },
      coarse('c'),
    ],
    names: ['b'],
  },
};

describe('levels of detail of FBX', () => {
  for (const form of FBX_FORMS) {
    for (const [name, { models, names }] of Object.entries(SCENES)) {
      it(`${form}: reads ${name}`, async () => {
        const read = await measureFile(lodFbx(models, form), 'a.fbx');
        read.names.should.deepEqual(names);
        read.warnings.should.be.empty();
      });
    }
  }

  for (const form of ['7, text', '7, binary'] as const) {
    it(`${form}: recognizes a group by its attribute`, async () => {
      const models = [{ name: 'group', type: 'Null', hasLodAttribute: true }, fine(), coarse()];
      (await measureFile(lodFbx(models, form), 'a.fbx')).names.should.deepEqual(['fine']);
    });

    it(`${form}: leaves other files and damaged ones to assimp`, () => {
      const without = lodFbx([{ name: 'group', type: 'Null' }, fine(), coarse()], form);
      disconnectCoarserLevels(without).should.equal(without);
      const file = lodFbx([GROUP, fine(), coarse()], form);
      for (let length = 30; length < file.length; length += 97)
        disconnectCoarserLevels(file.subarray(0, length)).length.should.equal(length);
    });
  }
});
