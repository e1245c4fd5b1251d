import should from 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../../src/mesh/analysis/verdict.js';
import type { HelperHandling } from '../../../../src/mesh/formats/helper-bodies/body-placer.js';
import { type ParseOptions, parseModelSync } from '../../../../src/mesh/formats/parse-model.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { createZip } from '../zip/zip-bytes.js';
import {
  BAMBU_CONFIG,
  bambuProject,
  meshOfBoxes,
  modelText,
  PRUSA_CONFIG,
  prusaAmf,
  prusaConfig,
  prusaProject,
  type SlicerBox,
} from './slicer-files.js';

const BODY: SlicerBox = { min: [0, 0, 0], max: [20, 20, 10], name: 'body' };
const HOLE: SlicerBox = { min: [5, 5, 5], max: [15, 15, 30], name: 'hole' };
const POCKET: SlicerBox = { min: [0, 0, 0], max: [4, 4, 10], name: 'pocket' };
const OUTSIDE: SlicerBox = { min: [5, 5, 40], max: [15, 15, 60], name: 'mark' };
/** The volume of the body without the hole. */
const CUT_MM3 = 3500;

function read(bytes: Uint8Array, filename = 'a.3mf', options: Partial<ParseOptions> = {}) {
  const model = parseModelSync(bytes, { filename, ...options });
  const { volumeMm3, dimensionZMm, boxMm, shells, ...analysis } = analyze(model.mesh);
  return {
    ...{ volumeMm3, heightMm: dimensionZMm, boxMm, shells },
    level: verdictOf({ volumeMm3, dimensionZMm, boxMm, shells, ...analysis }).level,
    names: model.mesh.objects?.map(({ name }) => name),
    helpers: model.helpers,
    reasons: model.reasons,
    messages: model.warnings.map(({ message }) => message),
    codes: model.warnings.map(({ code }) => code),
  };
}

/** The roles of each kind in the words of PrusaSlicer (3MF and AMF) and of Bambu Studio. */
const ROLES = [
  ['modifier', 'ParameterModifier', 'modifier_part'],
  ['support enforcer', 'SupportEnforcer', 'support_enforcer'],
  ['support blocker', 'SupportBlocker', 'support_blocker'],
] as const;

const WRITERS: Record<string, (boxes: readonly SlicerBox[], words: 1 | 2) => [Uint8Array, string]> = {
  'a 3MF of PrusaSlicer': (boxes) => [prusaProject([boxes]), 'a.3mf'],
  'a 3MF of Bambu Studio': (boxes) => [bambuProject([boxes]), 'a.3mf'],
  'an AMF of PrusaSlicer': (boxes) => [prusaAmf(boxes), 'a.amf'],
};

describe('the helper bodies', () => {
  for (const [index, [title, write]] of Object.entries(WRITERS).entries()) {
    const column = index === 1 ? 2 : 1;
    const negative = index === 1 ? 'negative_part' : 'NegativeVolume';
    describe(`of ${title}`, () => {
      it('are subtracted if they are negative volumes', () => {
        const [bytes, filename] = write([BODY, { ...HOLE, role: negative }], column);
        const result = read(bytes, filename);
        should(result.volumeMm3).be.approximately(CUT_MM3, 1e-6);
        should(result).match({ heightMm: 10, level: 'solid', names: ['body'], reasons: [] });
        should(result.messages[0]).equal('1 negative volume was subtracted: “hole”.');
      });

      for (const roles of ROLES)
        it(`are left out by name if they are of the kind ${roles[0]}`, () => {
          const [bytes, filename] = write([BODY, { ...OUTSIDE, role: roles[column] }], column);
          const result = read(bytes, filename);
          should(result).match({ heightMm: 10, names: ['body'] });
          should(result.volumeMm3).be.approximately(4000, 1e-6);
          should(result.messages[0]).equal(`1 ${roles[0]} was left out: “mark”.`);
        });

      it('are all left out, and nothing subtracted, if they are ignored', () => {
        const [bytes, filename] = write([BODY, { ...HOLE, role: negative }], column);
        const result = read(bytes, filename, { helpers: 'ignore' });
        should(result.volumeMm3).be.approximately(4000, 1e-6);
        should(result.messages[0]).equal('1 negative volume was left out: “hole”.');
      });

      it('are kept beside the model, with name and role', () => {
        const boxes = [BODY, { ...HOLE, role: negative }, { ...OUTSIDE, role: ROLES[0][column] }];
        const [bytes, filename] = write(boxes, column);
        const result = read(bytes, filename, { helpers: 'keep' });
        should(result.volumeMm3).be.approximately(4000, 1e-6);
        should(result.helpers?.slicer).equal(column === 2 ? 'bambu' : 'prusa');
        should(result.helpers?.objects).deepEqual([
          { name: 'hole', role: 'negative', group: 0, firstTriangle: 0, triangleCount: 12 },
          { name: 'mark', role: 'modifier', group: 0, firstTriangle: 12, triangleCount: 12 },
        ]);
        should(result.codes.slice(0, 2)).deepEqual(['HELPERS_KEPT', 'HELPERS_KEPT']);
      });

      it('leave a file of parts with the names of its volumes', () => {
        const [bytes, filename] = write([BODY, { ...OUTSIDE }], column);
        const result = read(bytes, filename);
        should(result).match({ heightMm: 60, names: ['body', 'mark'] });
        should(result.codes).not.containEql('HELPERS_DROPPED');
      });
    });
  }

  it('cut each part of their object, and no other object', () => {
    const high: SlicerBox = { ...BODY, min: [0, 0, 10], max: [20, 20, 20], name: 'lid' };
    const other: SlicerBox = { ...BODY, name: 'other' };
    const result = read(prusaProject([[BODY, high, { ...HOLE, role: 'NegativeVolume' }], [other]]));
    should(result.names).deepEqual(['body', 'lid', 'other']);
    const { mesh } = parseModelSync(prusaProject([[BODY, { ...HOLE, role: 'NegativeVolume' }], [other]]), {
      filename: 'a.3mf',
    });
    should(mesh.objects?.[1]).match({ name: 'other', triangleCount: 12 });
  });

  it('cut all instances, also those that are mirrored or scaled', () => {
    const items = [
      '<item objectid="1"/>',
      '<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 100 0 0"/>',
      '<item objectid="1" transform="2 0 0 0 2 0 0 0 2 200 0 0"/>',
    ];
    const result = read(prusaProject([[BODY, { ...HOLE, role: 'NegativeVolume' }]], items.join('')));
    should(result.volumeMm3).be.approximately(CUT_MM3 * 10, 1e-3);
    should(result).match({ level: 'solid', shells: 3 });
    should(result.messages[0]).equal('1 negative volume was subtracted: “hole”.');
  });

  it('are subtracted in any order, also several that overlap', () => {
    const negatives = [HOLE, POCKET, { ...POCKET, max: [6, 6, 10] as const }].map((box) => {
      return { ...box, role: 'NegativeVolume' };
    });
    for (const boxes of [
      [BODY, ...negatives],
      [...negatives, BODY],
    ]) {
      const result = read(prusaProject([boxes]));
      // The larger pocket and the hole share 1 x 1 x 5 mm.
      should(result.volumeMm3).be.approximately(4000 - 500 - 360 + 5, 1e-6);
      should(result.level).equal('solid');
    }
  });

  it('remove a part that they enclose, and the file is empty if none is left', () => {
    const negative = { min: [-1, -1, -1], max: [21, 21, 11], name: 'all', role: 'NegativeVolume' } as const;
    const error = meshErrorOf(() => read(prusaProject([[BODY, negative]])));
    should(error).match({ code: 'FILE_EMPTY', message: /removed entirely by negative volumes: “body”/ });
    const result = read(prusaProject([[BODY, { ...OUTSIDE, name: 'rest' }, negative]]));
    should(result.names).deepEqual(['rest']);
  });

  it('leave out a negative volume of an object without a part', () => {
    const result = read(prusaProject([[{ ...HOLE, role: 'NegativeVolume' }], [BODY]]));
    should(result.messages[0]).equal('1 negative volume was left out: “hole”.');
    should(result.volumeMm3).be.approximately(4000, 1e-6);
  });

  describe('that cannot be subtracted', () => {
    const open = createZip({
      '3D/3dmodel.model': modelText(
        `<object id="1">${meshOfBoxes([BODY, HOLE]).replace(/(?:<triangle [^>]*>){11}<\/triangles>/, '</triangles>')}</object>`,
        '<item objectid="1"/>',
      ),
      [PRUSA_CONFIG]: prusaConfig([[BODY, { ...HOLE, role: 'NegativeVolume' }]]).replace('lastid="23"', 'lastid="12"'),
    });

    it('are named by a warning, and the model needs repair', () => {
      const result = read(open);
      should(result.volumeMm3).be.approximately(4000, 1e-6);
      should(result.reasons).deepEqual(['negative volumes could not be subtracted']);
      should(result.messages[0]).match(/^1 negative volume could not be subtracted: “hole”\. /);
    });

    it('are no reason if they are ignored or kept', () => {
      for (const helpers of ['ignore', 'keep'] satisfies HelperHandling[])
        should(read(open, 'a.3mf', { helpers }).reasons).deepEqual([]);
    });
  });

  it('are subtracted from a part that had to be repaired first, which is said', () => {
    const text = `<object id="1">${meshOfBoxes([BODY, HOLE]).replace('<triangle v1="0" v2="2" v3="1"/>', '')}</object>`;
    const result = read(
      createZip({
        '3D/3dmodel.model': modelText(text, '<item objectid="1"/>'),
        [PRUSA_CONFIG]: prusaConfig([[BODY, { ...HOLE, role: 'NegativeVolume' }]])
          .replace('lastid="11"', 'lastid="10"')
          .replace('firstid="12" lastid="23"', 'firstid="11" lastid="22"'),
      }),
    );
    should(result.volumeMm3).be.approximately(CUT_MM3, 1e-6);
    should(result.messages).containEql('1 part was repaired for the subtraction: “body”.');
  });

  describe('of 3MF Core', () => {
    const readObjects = (attributes: string, build = '<item objectid="1"/><item objectid="2"/>') => {
      const objects = `<object id="1" name="body">${meshOfBoxes([BODY])}</object><object id="2" name="post" ${attributes}>${meshOfBoxes([OUTSIDE])}</object>`;
      return read(createZip({ '3D/3dmodel.model': modelText(objects, build) }));
    };

    it('are objects of the types support, solidsupport and other', () => {
      for (const [type, noun] of [
        ['support', 'support body'],
        ['solidsupport', 'support body'],
        ['other', 'helper body'],
      ]) {
        const result = readObjects(`type="${type}"`);
        should(result).match({ heightMm: 10, names: ['body'] });
        should(result.messages[0]).equal(`1 ${noun} was left out: “post”.`);
      }
    });

    it('are not those of the types model and surface', () => {
      for (const type of ['model', 'surface']) should(readObjects(`type="${type}"`).heightMm).equal(60);
    });

    it('leave out items that are not to be printed', () => {
      const result = readObjects('', '<item objectid="1" printable="1"/><item objectid="2" printable="0"/>');
      should(result.heightMm).equal(10);
      should(result.messages[0]).equal('1 object is not to be printed and was left out: “post”.');
    });
  });

  it('are modifiers by the key that old versions of PrusaSlicer write', () => {
    const config = prusaConfig([[BODY, OUTSIDE]]).replace(
      /(value="mark".*?)key="volume_type" value="ModelPart"/,
      '$1key="modifier" value="1"',
    );
    const text = modelText(`<object id="1">${meshOfBoxes([BODY, OUTSIDE])}</object>`, '<item objectid="1"/>');
    const result = read(createZip({ '3D/3dmodel.model': text, [PRUSA_CONFIG]: config }));
    should(result).match({ heightMm: 10 });
    should(result.messages[0]).equal('1 modifier was left out: “mark”.');
  });

  it('are read as far as a damaged list goes, with a warning', () => {
    const text = modelText(`<object id="1">${meshOfBoxes([BODY, OUTSIDE])}</object>`, '<item objectid="1"/>');
    const config = prusaConfig([[BODY, { ...OUTSIDE, role: 'ParameterModifier' }]]);
    for (const [damaged, heightMm] of [
      [config.slice(0, -5), 10],
      [`${config}</a>`, 10],
      ['<config', 60],
      ['not XML', 60],
    ] as const) {
      const result = read(createZip({ '3D/3dmodel.model': text, [PRUSA_CONFIG]: damaged }));
      should(result.heightMm).equal(heightMm, damaged);
      should(result.codes).containEql('SLICER_CONFIG_DAMAGED');
    }
  });

  it('ignore ranges outside of the mesh, and keep triangles of no range', () => {
    const text = modelText(`<object id="1">${meshOfBoxes([BODY, OUTSIDE])}</object>`, '<item objectid="1"/>');
    for (const range of ['firstid="12" lastid="99"', 'firstid="12" lastid="23"']) {
      const config = prusaConfig([[BODY, { ...OUTSIDE, role: 'SupportBlocker' }]]).replace(
        'firstid="12" lastid="23"',
        range,
      );
      should(read(createZip({ '3D/3dmodel.model': text, [PRUSA_CONFIG]: config })).heightMm).equal(10);
    }
    const config = prusaConfig([[{ ...BODY, role: 'SupportBlocker' }]]);
    const result = read(createZip({ '3D/3dmodel.model': text, [PRUSA_CONFIG]: config }));
    should(result).match({ heightMm: 20, names: ['object 1'] });
  });

  it('are ranges in the list of old versions of Bambu Studio', () => {
    const text = modelText(`<object id="1">${meshOfBoxes([BODY, OUTSIDE])}</object>`, '<item objectid="1"/>');
    const config =
      '<config><object id="1"><part id="2" firstid="0" lastid="11" subtype="normal_part"/><part id="3" firstid="12" lastid="23" subtype="support_blocker"/></object></config>';
    should(read(createZip({ '3D/3dmodel.model': text, [BAMBU_CONFIG]: config })).heightMm).equal(10);
  });

  it('are those of an object that another one has as its component', () => {
    const objects = `<object id="1">${meshOfBoxes([BODY, HOLE])}</object><object id="2"><components><component objectid="1"/></components></object>`;
    const text = modelText(objects, '<item objectid="2" transform="1 0 0 0 1 0 0 0 1 100 0 0"/>');
    const config = prusaConfig([[BODY, { ...HOLE, role: 'NegativeVolume' }]]);
    const result = read(createZip({ '3D/3dmodel.model': text, [PRUSA_CONFIG]: config }));
    should(result.volumeMm3).be.approximately(CUT_MM3, 1e-6);
  });

  it('have their own role if the same object is a component twice', () => {
    const objects = `<object id="1">${meshOfBoxes([BODY])}</object><object id="2"><components><component objectid="1"/><component objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0 50"/></components></object>`;
    const config =
      '<config><object id="2"><part id="1" subtype="normal_part"/><part id="1" subtype="modifier_part"/></object></config>';
    const text = modelText(objects, '<item objectid="2"/>');
    should(read(createZip({ '3D/3dmodel.model': text, [BAMBU_CONFIG]: config })).heightMm).equal(10);
  });

  it('leave out instances of an AMF that are not to be printed', () => {
    const instances =
      '<instance objectid="0"><printable>1</printable></instance><instance objectid="0"><deltaz>50</deltaz><printable>0</printable></instance>';
    const result = read(prusaAmf([BODY], instances), 'a.amf');
    should(result).match({ heightMm: 10, codes: ['UNPRINTABLE_DROPPED'] });
  });
});
