import 'should';
import type { IndexedMesh } from '../../../../src/mesh/core/mesh.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { ZipArchive } from '../../../../src/mesh/formats/zip/zip-reader.js';
import { makeCube } from '../../models/cube.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';
import { createZip } from '../zip/zip-bytes.js';

const POINTS = ['0 0 0', '1 0 0', '0 1 0', '0 0 1'];
const VERTICES = POINTS.map((point) => {
  const [x, y, z] = point.split(' ');
  return `<vertex x="${x}" y="${y}" z="${z}"/>`;
}).join('');
function meshText(...triangles: string[]) {
  const rows = triangles.map((triangle) => {
    const [a, b, c] = triangle.split(' ');
    return `<triangle v1="${a}" v2="${b}" v3="${c}"/>`;
  });
  return `<mesh><vertices>${VERTICES}</vertices><triangles>${rows.join('')}</triangles></mesh>`;
}
function object(id: number, content = meshText('0 1 2'), more = '') {
  return `<object id="${id}" ${more}>${content}</object>`;
}
function composedObject(id: number, ...components: string[]) {
  const rows = components.map((attributes) => `<component ${attributes}/>`);
  return object(id, `<components>${rows.join('')}</components>`);
}
function model(resources: string, items: string, more = '') {
  return `<?xml version="1.0"?><model ${more}><resources>${resources}</resources><build>${items}</build></model>`;
}
function item(id: number, more = '') {
  return `<item objectid="${id}" ${more}/>`;
}

function parts(parts: Record<string, string>) {
  return parseOwn(createZip(parts), { filename: 'a.3mf', measurementUnits: 'ft' });
}
function parse(resources: string, items: string, more = '') {
  return parts({ '3D/3dmodel.model': model(resources, items, more) });
}
function codesOf({ warnings }: ReturnType<typeof parse>) {
  return warnings.map(({ code }) => code);
}

describe('parseThreeMf', () => {
  it('uses the unit of the file, millimeters by default, and never that of the caller', () => {
    const widthIn = (more: string) => parse(object(1), item(1), more).mesh.positions[3] ?? 0;
    widthIn('').should.equal(1);
    widthIn('unit="inch"').should.equal(25.4);
    widthIn('unit="micron"').should.equal(0.001);
    const error = meshErrorOf(() => widthIn('unit="parsec"'));
    error.code.should.equal('FILE_MALFORMED');
    error.message.should.containEql('parsec');
  });

  it('places each build item, and nothing else', () => {
    const move = 'transform="1 0 0 0 1 0 0 0 1 10 20 30"';
    const { mesh } = parse(object(1) + object(2), item(1) + item(1, move));
    [...mesh.positions].should.deepEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 10, 20, 30, 11, 20, 30, 10, 21, 30]);
    (mesh.objects?.length ?? 0).should.equal(2);
  });

  it('applies transforms from innermost to outermost, then the unit', () => {
    const turn = 'transform="0 1 0 -1 0 0 0 0 1 0 0 0"';
    const move = 'transform="1 0 0 0 1 0 0 0 1 5 0 0"';
    const { mesh } = parse(object(1) + composedObject(2, `objectid="1" ${move}`), item(2, turn), 'unit="centimeter"');
    [...mesh.positions].map((value) => value + 0).should.deepEqual([0, 50, 0, 0, 60, 0, -10, 50, 0]);
  });

  it('reverses triangles under a reflection', () => {
    const mirror = 'transform="-1 0 0 0 1 0 0 0 1 0 0 0"';
    [...parse(object(1), item(1, mirror)).mesh.triangles].should.deepEqual([0, 2, 1]);
  });

  it('reads model parts that components and items reference', () => {
    const { mesh } = parts({
      '_rels/.rels':
        '<Relationships><Relationship Target="/3D/root.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>',
      '3D/first.model': model(object(1, meshText('0 1 3'), 'name="wrong"'), item(1)),
      '3D/root.model': model(composedObject(7, 'p:path="/3D/Inner.model" objectid="3"'), item(7)),
      '3D/inner.model': model(object(1, meshText('0 1 2'), 'name="lid"') + composedObject(3, 'objectid="1"'), ''),
    });
    (mesh.objects ?? []).should.deepEqual([{ name: 'lid', firstTriangle: 0, triangleCount: 1 }]);
  });

  it('warns about content that is not imported', () => {
    const text = model(`<m:colorgroup id="9"/><basematerials id="8"/>${object(1)}`, item(1));
    const archive = { '3D/3dmodel.model': text, 'Metadata/slicer.config': 'x' };
    codesOf(parts(archive)).should.deepEqual(['COLOURS_DROPPED', 'MATERIALS_DROPPED', 'SETTINGS_DROPPED']);
  });

  describe('with painted triangles', () => {
    const codesWith = (attribute: string) =>
      codesOf(parse(object(1, meshText('0 1 2', '0 1 3').replace('v3="3"', `v3="3" ${attribute}`)), item(1)));

    for (const attribute of [
      ...['slic3rpe:mmu_segmentation="4"', 'slic3rpe:custom_supports="8"', 'slic3rpe:custom_seam="0C"'],
      ...['slic3rpe:fuzzy_skin="4"', 'paint_color="1C"', 'paint_supports="4"', 'paint_seam="A"'],
      ...['paint_fuzzy_skin="4"', 'pid="3" p1="0" paint_color="4"'],
    ])
      it(`warns: ${attribute}`, () => {
        codesWith(attribute).should.deepEqual(['PAINTING_DROPPED']);
      });

    it('does not warn if a triangle has other attributes, or is unpainted', () => {
      for (const attribute of ['pid="3" p1="0"', 'paint_color=""', 'paint_seam="0"', 'paint="4"'])
        codesWith(attribute).should.be.empty();
    });
  });

  it('skips triangles with invalid indices and unresolved references, and warns', () => {
    const { mesh, warnings } = parse(object(1, meshText('0 1 2', '0 1 4', '0 1 -1', '0 1 x')), item(1) + item(9));
    mesh.triangles.length.should.equal(3);
    warnings.map(({ code }) => code).should.deepEqual(['OBJECTS_MISSING', 'FACES_DROPPED']);
  });

  it('throws for cyclic components and for too many instances', () => {
    meshErrorOf(() => parse(composedObject(1, 'objectid="1"'), item(1))).code.should.equal('FILE_MALFORMED');
    const doublings = Array.from({ length: 25 }, (_, i) =>
      composedObject(i + 2, `objectid="${i + 1}"`, `objectid="${i + 1}"`),
    );
    meshErrorOf(() => parse(object(1) + doublings.join(''), item(26))).code.should.equal('TOO_LARGE');
    // Without triangles, only the time would grow.
    meshErrorOf(() => parse(object(1, '') + doublings.join(''), item(26))).code.should.equal('TOO_LARGE');
  });

  describe('with encrypted parts', () => {
    const relationship = (type: string, target: string) =>
      `<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/${type}" Target="${target}"/>`;
    const parseSecure = (items: string) =>
      parts({
        '_rels/.rels': `<Relationships>${relationship('2013/01/3dmodel', '/3D/3dmodel.model')}${relationship('2019/04/keystore', '/Secure/keystore.xml')}</Relationships>`,
        'Secure/keystore.xml':
          '<keystore><resourcedatagroup><resourcedata path="/3D/Secret.model"/></resourcedatagroup></keystore>',
        '3D/3dmodel.model': model(object(1), items),
        '3D/secret.model': '\u0001<\u0002 not XML',
      });

    it('throws FILE_ENCRYPTED if the build uses one', () => {
      const error = meshErrorOf(() => parseSecure(`${item(1)}${item(2, 'path="/3D/secret.model"')}`));
      error.code.should.equal('FILE_ENCRYPTED');
      error.message.should.containEql('3D/secret.model');
    });

    it('reads the others if the build does not', () => {
      parseSecure(item(1)).mesh.triangles.length.should.equal(3);
    });
  });

  it('throws FILE_MALFORMED if the ZIP or the model is missing, truncated or invalid', () => {
    const whole = model(object(1), item(1));
    const INVALID = [
      () => parseOwn(Buffer.from(whole), { filename: 'a.3mf' }),
      () => parts({ 'other.txt': whole }),
      () => parts({ '3D/3dmodel.model': whole.slice(0, -20) }),
      () => parts({ '3D/3dmodel.model': '<amf/>' }),
      () => parse(object(1), item(1, 'transform="1 2 3"')),
      () => parse('<!DOCTYPE a [<!ENTITY b "b">]>', item(1)),
    ];
    for (const read of INVALID) meshErrorOf(read).code.should.equal('FILE_MALFORMED');
    meshErrorOf(() => parse(object(1), '')).code.should.equal('FILE_EMPTY');
  });
});

function cornersOf({ positions, triangles }: IndexedMesh) {
  return Array.from(triangles, (vertex) => positions.subarray(vertex * 3, vertex * 3 + 3).join());
}

describe('the parts of a 3MF', () => {
  const TYPE = 'http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel';
  function relationships(...targets: string[]) {
    const rows = targets.map((target) => `<Relationship Id="a" Type="${TYPE}" Target="${target}"/>`);
    return `<Relationships>${rows.join('')}</Relationships>`;
  }
  function countTriangles(entries: Record<string, string>) {
    return parts(entries).mesh.triangles.length / 3;
  }

  it('are found if the target, the entry or both are percent-encoded', () => {
    const plain = '3D/My modèle 5%.model';
    const encoded = '3D/My%20mod%C3%A8le%205%25.model';
    const decoy = model(object(1, meshText('0 1 2', '0 1 3')), item(1));
    for (const [target, name] of [
      [encoded, plain],
      [encoded.toLowerCase(), plain],
      [plain, encoded],
      [encoded, encoded],
      [plain, plain],
      ['\\3D\\My modèle 5%.model', plain.normalize('NFD')],
      ['./3D/My%20modèle 5%.model', plain],
    ] as const) {
      const entries = {
        '3D/3dmodel.model': decoy,
        '_rels/.rels': relationships(target),
        [name]: model(object(1), item(1)),
      };
      countTriangles(entries).should.equal(1, `${target} for ${name}`);
    }
  });

  it('are found by a component with an encoded path', () => {
    const main = model(composedObject(2, 'objectid="1" path="/3D/Objects/My%20part.model"'), item(2));
    for (const name of ['3D/Objects/My part.model', '3D/Objects/my%20Part.model'])
      countTriangles({ '3D/3dmodel.model': main, [name]: model(object(1), '') }).should.equal(1);
  });

  it('are found without a relationship to one that exists', () => {
    const content = model(object(1), item(1));
    const more = { '3D/Objects/a.model': model(object(1), ''), '__MACOSX/._a.model': 'x' };
    for (const rels of [relationships('/3D/missing.model'), relationships(), relationships(''), '<Relationships><Rel'])
      for (const name of ['3D/3dmodel.model', '3D/other.model', 'a.MODEL', '3D\\3dmodel.model'])
        countTriangles({ ...more, '_rels/.rels': rels, [name]: content }).should.equal(1, `${name} for ${rels}`);
    const entries = { '_rels/.rels': relationships('/3D/missing.model', '/3D/other.model'), '3D/other.model': content };
    countTriangles({ '3D/3dmodel.model': model('', ''), ...entries }).should.equal(1);
  });

  it('are refused if there is none', () => {
    meshErrorOf(() => parts({ '_rels/.rels': relationships('/3D/a.model') })).message.should.containEql('no model');
  });
});

describe('serializeThreeMf', () => {
  it('round-trips a mesh in mm bit for bit', () => {
    const torus = makeTorus();
    const { mesh, warnings } = parseOwn(Buffer.concat([...serializeModel(torus, '3mf')]), { filename: 'a.3mf' });
    mesh.positions.length.should.equal(torus.positions.length);
    cornersOf(mesh).should.deepEqual(cornersOf(torus));
    (mesh.objects === undefined).should.be.true();
    warnings.should.be.empty();
  });

  it('writes named objects, and the ranges between them without a name', () => {
    const objects = [
      { name: '<a> & "b"', firstTriangle: 2, triangleCount: 4 },
      { name: 'lid', firstTriangle: 6, triangleCount: 6 },
    ];
    const { mesh } = parseOwn(Buffer.concat([...serializeModel({ ...makeCube(), objects }, '3mf')]), {
      filename: 'a.3mf',
    });
    mesh.positions.length.should.equal(24);
    (mesh.objects ?? []).should.deepEqual([{ name: '', firstTriangle: 0, triangleCount: 2 }, ...objects]);
  });

  it('skips triangles with two equal corners and declares the unit', () => {
    const cube = makeCube();
    cube.triangles.set([0, 0, 1]);
    const archive = new ZipArchive(Buffer.concat([...serializeModel(cube, '3mf')]));
    const text = Buffer.from(archive.read('3D/3dmodel.model') ?? []).toString();
    text.should.containEql('unit="millimeter"');
    (text.match(/<triangle /g) ?? []).length.should.equal(11);
  });
});
