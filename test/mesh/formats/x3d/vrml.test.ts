import 'should';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const FACES =
  'geometry IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 0] } coordIndex [0 1 2 3 -1] }';
const SHAPE = `Shape { ${FACES} }`;

function parse(text: string, head = '#VRML V2.0 utf8') {
  return parseOwn(Buffer.from(`${head}\n${text}`), { filename: 'a.wrl', measurementUnits: 'ft' });
}
function read(text: string) {
  const { mesh, warnings } = parse(text);
  const positions = [...mesh.positions].map((value) => Math.round(value * 1e6) / 1e6 + 0);
  return { positions, triangles: [...mesh.triangles], warnings: warnings.map(({ code }) => code) };
}
const SQUARE_RESULT = {
  positions: [0, 0, 0, 1000, 0, 0, 1000, 0, 1000, 0, 0, 1000],
  triangles: [0, 1, 2, 0, 2, 3],
  warnings: [],
};

describe('parseVrml', () => {
  it('converts meters with Y up to millimeters with Z up', () => {
    read(SHAPE).should.deepEqual(SQUARE_RESULT);
  });

  it('uses the unit of the classic encoding of X3D', () => {
    const { mesh } = parse(
      `PROFILE Immersive UNIT angle degree 0.0174 UNIT length inch 0.0254 ${SHAPE}`,
      '#X3D V3.3 utf8',
    );
    Math.max(...mesh.positions).should.be.approximately(25.4, 1e-9);
    parse(`${SHAPE} UNIT length x`).mesh.positions.length.should.equal(12);
  });

  it('skips comments, strings, routes and unknown nodes', () => {
    const text = [
      'WorldInfo { title "a \\" } b" info ["x" "y {"] } # a comment with { brackets [',
      'DEF TIMER TimeSensor { loop TRUE }',
      SHAPE.replace('Coordinate {', 'DEF C Coordinate { # here too\n'),
      'ROUTE TIMER.fraction_changed TO C.set_point',
    ];
    read(text.join('\r\n')).should.deepEqual(SQUARE_RESULT);
  });

  it('scales, then rotates about the center, then translates', () => {
    const fields = 'translation 5 0 0 rotation 0 0 2 1.5707963267948966 scale 2 1 1 center 1 0 0';
    const { positions } = read(`Transform { ${fields} children [ Group { children ${SHAPE} } ] }`);
    positions.slice(0, 6).should.deepEqual([6000, 0, -2000, 6000, 0, 0]);
  });

  it('scales along the axes of a scale orientation', () => {
    const quarter = 'scaleOrientation 0 0 1 1.5707963267948966';
    read(`Transform { ${quarter} scale 1 3 1 children ${SHAPE} }`).positions.slice(3, 6).should.deepEqual([3000, 0, 0]);
  });

  it('reverses clockwise faces, and reverses them again under a reflection', () => {
    const turned = SHAPE.replace('FaceSet {', 'FaceSet { ccw FALSE solid TRUE');
    read(turned).triangles.should.deepEqual([3, 2, 1, 3, 1, 0]);
    const { triangles } = read(`Transform { scale -1 1 1 children ${SHAPE} }`);
    triangles.should.deepEqual([0, 2, 1, 0, 3, 2]);
  });

  it('places reused nodes again and names objects after enclosing nodes', () => {
    const { mesh } = parse(
      `DEF lid Transform { children DEF S ${SHAPE} } Transform { translation 0 0 1 children USE S }`,
    );
    (mesh.objects ?? []).should.deepEqual([
      { name: 'S', firstTriangle: 0, triangleCount: 2 },
      { name: 'S', firstTriangle: 2, triangleCount: 2 },
    ]);
  });

  it('reads the chosen child of a Switch and the first level of an LOD', () => {
    const other = SHAPE.replace('1 1 0', '9 9 0');
    read(`Switch { whichChoice 1 choice [ ${other} ${SHAPE} ] }`).should.deepEqual(SQUARE_RESULT);
    read(`LOD { level [ ${SHAPE} ${other} ] range 4 }`).should.deepEqual(SQUARE_RESULT);
    meshErrorOf(() => parse(`Switch { choice ${SHAPE} }`)).code.should.equal('FILE_EMPTY');
  });

  it('warns about content that is not imported and undefined nodes', () => {
    const material = `Shape { appearance Appearance { material Material { } } ${FACES.replace('coord ', 'color Color { color 1 0 0 } coord ')} }`;
    read(
      `${material} Shape { geometry Text { string "a" } } USE nothing Inline { url "b.wrl" }`,
    ).warnings.should.deepEqual([
      'COLOURS_DROPPED',
      'INLINE_DROPPED',
      'MATERIALS_DROPPED',
      'OBJECTS_MISSING',
      'SHAPES_DROPPED',
    ]);
  });

  it('skips and counts faces with invalid indices', () => {
    const bad = SHAPE.replace('3 -1]', '3 -1 0 1 4 -1 0 1 -1 0 -7 1]');
    read(bad).should.deepEqual({ ...SQUARE_RESULT, warnings: ['FACES_DROPPED'] });
  });

  it('reads the complete nodes of a truncated file and warns', () => {
    for (const end of ['', ' DEF', ' DEF x', ' Shape {', ' USE', ' Group { children [', ' WorldInfo { title "']) {
      const { triangles, warnings } = read(`Group { children [ ${SHAPE}${end}`);
      triangles.should.deepEqual(SQUARE_RESULT.triangles);
      warnings.should.containEql('TRUNCATED');
    }
  });

  it('throws FILE_MALFORMED for VRML 1 and other content', () => {
    meshErrorOf(() => parse(SHAPE, '#VRML V1.0 ascii')).message.should.containEql('VRML 1');
    meshErrorOf(() => parse(SHAPE, 'solid')).code.should.equal('FILE_MALFORMED');
    meshErrorOf(() => parse('PROTO A { }')).code.should.equal('FILE_MALFORMED');
    meshErrorOf(() => parse('DEF A Group 1')).code.should.equal('FILE_MALFORMED');
  });

  it('rejects deep nesting and too many instances, and prevents a node from containing itself', () => {
    meshErrorOf(() => parse('Group { children '.repeat(300))).code.should.equal('FILE_MALFORMED');
    const doublings = Array.from({ length: 25 }, (_, i) => `DEF G${i + 1} Group { children [ USE G${i} USE G${i} ] }`);
    meshErrorOf(() => parse(`DEF G0 ${SHAPE} ${doublings.join(' ')}`)).code.should.equal('TOO_LARGE');
    read(`DEF A Group { children [ ${SHAPE} USE A ] }`).should.deepEqual({
      ...SQUARE_RESULT,
      warnings: ['OBJECTS_MISSING'],
    });
  });
});
