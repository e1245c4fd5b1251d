import 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const FACES =
  '<IndexedFaceSet coordIndex="0 1 2 3 -1"><Coordinate point="0 0 0, 1 0 0, 1 1 0, 0 1 0"/></IndexedFaceSet>';
const SHAPE = `<Shape>${FACES}</Shape>`;
function x3d(scene: string, head = '') {
  return `<?xml version="1.0"?>
<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.3//EN" "http://www.web3d.org/specifications/x3d-3.3.dtd">
<X3D version="3.3"><head>${head}</head><Scene>${scene}</Scene></X3D>`;
}

function parseText(text: string) {
  return parseOwn(Buffer.from(text), { filename: 'a.x3d', measurementUnits: 'ft' });
}
function parse(scene: string, head = '') {
  return parseText(x3d(scene, head));
}
const SQUARE = [0, 0, 0, 1000, 0, 0, 1000, 0, 1000, 0, 0, 1000];

describe('parseX3d', () => {
  it('converts meters, or the declared unit, with Y up to millimeters with Z up', () => {
    [...parse(SHAPE).mesh.positions].map((value) => value + 0).should.deepEqual(SQUARE);
    const inch = '<unit category="length" name="inch" conversionFactor="0.0254"/>';
    (parse(SHAPE, inch).mesh.positions[3] ?? 0).should.be.approximately(25.4, 1e-9);
  });

  it('applies transforms and places reused nodes again', () => {
    const scene = `<Transform translation="0 0 -1"><Shape DEF="lid">${FACES}</Shape></Transform><Shape USE="lid"/>`;
    const { mesh } = parse(scene);
    mesh.positions.length.should.equal(24);
    (mesh.positions[1] ?? 0).should.equal(1000);
    (mesh.objects ?? []).map(({ name }) => name).should.deepEqual(['lid', 'lid']);
  });

  it('reads an IndexedTriangleSet', () => {
    const set =
      '<IndexedTriangleSet index="0 1 2 0 2 3" ccw="false"><Coordinate point="0 0 0 1 0 0 1 1 0 0 1 0"/></IndexedTriangleSet>';
    parse(`<Shape>${set}</Shape>`).mesh.triangles.length.should.equal(6);
  });

  const EXTRUSIONS: Record<string, { fields: string; volumeM3: number }> = {
    'along the Y axis by default': { fields: '', volumeM3: 4 },
    'along any line, scaled at each point': { fields: 'spine="0 0 0 3 0 0" scale="1 1 0.5 0.5"', volumeM3: 4 + 1 + 2 },
    downward: { fields: 'spine="0 3 0 0 0 0"', volumeM3: 12 },
    'rotated at each point, with unchanged volume': {
      fields: 'orientation="0 1 0 0.5 0 1 0 0.5"',
      volumeM3: 4,
    },
    'around a corner': {
      fields: 'crossSection="1 1 1 -1 -1 -1 -1 1 1 1" spine="0 0 0 0 5 0 5 5 0"',
      volumeM3: 10 * (2 + Math.SQRT2),
    },
    'with a concave cross-section': { fields: 'crossSection="0 0 0 -2 -2 -2 -0.5 -1.5 0 0"', volumeM3: 1 },
  };
  for (const [name, { fields, volumeM3 }] of Object.entries(EXTRUSIONS)) {
    it(`reads an extrusion ${name}`, () => {
      const { mesh } = parse(`<Shape><Extrusion ${fields}/></Shape>`);
      const { badEdges, volumeMm3 } = analyze(mesh);
      badEdges.should.equal(0);
      volumeMm3.should.be.approximately(volumeM3 * 1e9, 1);
    });
  }

  it('leaves the ends of an extrusion open without caps', () => {
    const { mesh } = parse('<Shape><Extrusion beginCap="false" endCap="FALSE"/></Shape>');
    analyze(mesh).badContours.should.equal(2);
  });

  it('warns about content that is not imported', () => {
    const appearance = '<Appearance><ImageTexture url="a.png"/></Appearance>';
    const { warnings } = parse(`<Shape>${appearance}${FACES}</Shape><Shape><Text string="a"/></Shape><Group USE="x"/>`);
    warnings.map(({ code }) => code).should.deepEqual(['MATERIALS_DROPPED', 'OBJECTS_MISSING', 'SHAPES_DROPPED']);
  });

  it('reads the complete nodes of a truncated file and warns', () => {
    const { mesh, warnings } = parseText(`<X3D><Scene>${SHAPE}<Shape><IndexedFaceSet coordIndex="0 1`);
    mesh.triangles.length.should.equal(6);
    warnings.map(({ code }) => code).should.deepEqual(['TRUNCATED']);
  });

  it('throws for other content, declared entities and extrusions with too many points', () => {
    for (const text of ['', 'x', '<html/>', '<!DOCTYPE X3D [<!ENTITY b "b">]><X3D/>']) {
      meshErrorOf(() => parseText(text)).code.should.match(/^FILE_(MALFORMED|EMPTY)$/);
    }
    const many = '1 2 '.repeat(6000);
    const huge = `<Shape><Extrusion crossSection="${many}" spine="${many} 1 2 3 ${many}"/></Shape>`;
    meshErrorOf(() => parse(huge)).code.should.equal('TOO_LARGE');
  });
});
