import 'should';
import type { IndexedMesh } from '../../../../src/mesh/core/mesh.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../../models/cube.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';
import { createZip } from '../zip/zip-bytes.js';

const VERTICES = ['0 0 0', '1 0 0', '0 1 0', '0 0 1'].map((point) => {
  const [x, y, z] = point.split(' ');
  return `<vertex><coordinates><x>${x}</x><y> ${y} </y><z>${z}</z></coordinates></vertex>`;
});
function volume(...triangles: string[]) {
  const rows = triangles.map((triangle) => {
    const [a, b, c] = triangle.split(' ');
    return `<triangle><v1>${a}</v1><v2>${b}</v2><v3>${c}</v3></triangle>`;
  });
  return `<volume>${rows.join('')}</volume>`;
}
function object(id: number, volumes = volume('0 1 2'), more = '') {
  return `<object id="${id}">${more}<mesh><vertices>${VERTICES.join('')}</vertices>${volumes}</mesh></object>`;
}
function constellation(id: number, ...instances: string[]) {
  return `<constellation id="${id}">${instances.join('')}</constellation>`;
}
function instance(id: number, more = '') {
  return `<instance objectid="${id}">${more}</instance>`;
}
function amf(content: string, more = '') {
  return `<?xml version="1.0"?>\n<amf ${more}>${content}</amf>`;
}

function parseText(text: string | Uint8Array) {
  return parseOwn(Buffer.from(text), { filename: 'a.amf', measurementUnits: 'ft' });
}
function parse(content: string, more = '') {
  return parseText(amf(content, more));
}
function codesOf(content: string) {
  return parse(content).warnings.map(({ code }) => code);
}

describe('parseAmf', () => {
  it('uses the unit of the file, millimeters by default, and never that of the caller', () => {
    const widthIn = (more: string) => parse(object(1), more).mesh.positions[3] ?? 0;
    widthIn('').should.equal(1);
    widthIn('unit="inch"').should.equal(25.4);
    widthIn('unit="Feet"').should.equal(304.8);
    meshErrorOf(() => widthIn('unit="parsec"')).code.should.equal('FILE_MALFORMED');
  });

  it('joins the volumes of an object and keeps object names', () => {
    const name = '<metadata type="name"> lid &amp; all </metadata>';
    const { mesh } = parse(object(1, volume('0 1 2') + volume('0 1 3'), name) + object(2));
    (mesh.objects ?? []).should.deepEqual([
      { name: 'lid & all', firstTriangle: 0, triangleCount: 2 },
      { name: '', firstTriangle: 2, triangleCount: 1 },
    ]);
  });

  it('reads a zipped AMF', () => {
    parseText(createZip({ 'part.AMF': amf(object(1)) })).mesh.triangles.length.should.equal(3);
    meshErrorOf(() => parseText(createZip({ 'part.txt': amf(object(1)) }))).code.should.equal('FILE_MALFORMED');
  });

  it('places instances of constellations, rotated then translated, and no object twice', () => {
    const turned = instance(1, '<deltax>5</deltax><rz>90</rz>');
    const { mesh } = parse(object(1) + constellation(2, turned, instance(1, '<deltaz>-1</deltaz>')), 'unit="inch"');
    [...mesh.positions]
      .map((value) => value / 25.4 + 0)
      .should.deepEqual([5, 0, 0, 5, 1, 0, 4, 0, 0, 0, 0, -1, 1, 0, -1, 0, 1, -1]);
  });

  describe('with instances of a slicer', () => {
    const cad = (name: string) => `<metadata type="cad">${name}</metadata>`;
    /** Returns the corners of the triangle 0 0 0, 1 0 0, 0 1 0 in an instance, rounded, and their winding. */
    const place = (more: string, before = '') => {
      const { mesh } = parse(before + object(1) + constellation(2, instance(1, more)));
      const corners = Array.from(mesh.triangles, (vertex) =>
        [...mesh.positions.subarray(vertex * 3, vertex * 3 + 3)].map((value) => Math.round(value * 1000) / 1000 + 0),
      );
      return corners;
    };

    it('scales along the axes, uniformly too, before it rotates and translates', () => {
      const scaled = '<deltax>5</deltax><rz>90</rz><scalex>2</scalex><scaley>3</scaley><scalez>4</scalez>';
      place(scaled).should.deepEqual([
        [5, 0, 0],
        [5, 2, 0],
        [2, 0, 0],
      ]);
      place('<scale>2</scale>').should.deepEqual([
        [0, 0, 0],
        [2, 0, 0],
        [0, 2, 0],
      ]);
    });

    it('mirrors, and reverses the triangles of one mirror', () => {
      place('<mirrorx>-1</mirrorx>').should.deepEqual([
        [0, 0, 0],
        [0, 1, 0],
        [-1, 0, 0],
      ]);
      place('<mirrorx>-1</mirrorx><mirrory>-1</mirrory>').should.deepEqual([
        [0, 0, 0],
        [-1, 0, 0],
        [0, -1, 0],
      ]);
    });

    const TURNED = [
      [0, 0, 0],
      [0, 1, 0],
      [-1, 0, 0],
    ];
    for (const before of [
      ...[cad('Slic3r 2.5.0'), cad('PrusaSlicer 2.9.4'), cad('Slic3r 1.2.9'), cad('SuperSlicer 2.5.59')],
      '<metadata type="slic3rpe_amf_version">2</metadata>',
    ])
      it(`reads angles in radians: ${before}`, () => {
        place('<rz>1.5708</rz>', before).should.deepEqual(TURNED);
      });

    for (const before of ['', cad('Slic3r 1.1.7'), cad('Slic3r 0.9.10'), cad('OpenSCAD'), cad('CuraEngine 4')])
      it(`reads angles in degrees: ${before}`, () => {
        place('<rz>90</rz>', before).should.deepEqual(TURNED);
      });

    it('reads who wrote the file wherever it says so', () => {
      const text = amf(object(1) + constellation(2, instance(1, '<rz>3.141593</rz>')) + cad('Slic3r 2.5.0'));
      Math.round(parseText(text).mesh.positions[3] ?? 0).should.equal(-1);
    });
  });

  it('warns about content that is not imported', () => {
    const curved = '<vertex><normal><nx>0</nx></normal></vertex>';
    codesOf(`<material id="1"><color/></material>${object(1, curved + volume('0 1 2'))}`).should.deepEqual([
      'COLOURS_DROPPED',
      'CURVES_DROPPED',
      'MATERIALS_DROPPED',
    ]);
  });

  it('skips triangles with invalid indices and unresolved references, and warns', () => {
    const content = object(1, volume('0 1 2', '0 1 4', '0 1 -1', '0 x 1')) + constellation(2, instance(9));
    parse(content).mesh.triangles.length.should.equal(3);
    codesOf(content).should.deepEqual(['OBJECTS_MISSING', 'FACES_DROPPED']);
  });

  it('reads the complete elements of a truncated file and warns', () => {
    const text = amf(object(1) + object(2, volume('0 1 2', '0 1 3')));
    const { mesh, warnings } = parseText(text.slice(0, text.lastIndexOf('<v3>')));
    mesh.triangles.length.should.equal(6);
    warnings.map(({ code }) => code).should.deepEqual(['TRUNCATED']);
  });

  it('throws for cyclic constellations and for too many instances', () => {
    meshErrorOf(() => parse(object(1) + constellation(1, instance(1)))).code.should.equal('FILE_MALFORMED');
    const ring =
      constellation(2, instance(3)) + constellation(3, instance(4), instance(1)) + constellation(4, instance(3));
    meshErrorOf(() => parse(object(1) + ring)).code.should.equal('FILE_MALFORMED');
    const twice = Array.from({ length: 25 }, (_, i) => constellation(i + 2, instance(i + 1), instance(i + 1)));
    meshErrorOf(() => parse(object(1) + twice.join(''))).code.should.equal('TOO_LARGE');
  });

  it('throws for other content and for an AMF that declares entities', () => {
    for (const text of ['', ' ', 'amf', '<html/>', amf('</b>'), `<!DOCTYPE a [<!ENTITY b "b">]>${amf(object(1))}`]) {
      meshErrorOf(() => parseText(text)).code.should.match(/^FILE_(MALFORMED|EMPTY)$/);
    }
  });
});

function cornersOf({ positions, triangles }: IndexedMesh) {
  return Array.from(triangles, (vertex) => positions.subarray(vertex * 3, vertex * 3 + 3).join());
}

describe('serializeAmf', () => {
  it('round-trips a mesh in mm bit for bit', () => {
    const torus = makeTorus();
    const { mesh, warnings } = parseText(Buffer.concat([...serializeModel(torus, 'amf')]));
    cornersOf(mesh).should.deepEqual(cornersOf(torus));
    mesh.positions.length.should.equal(torus.positions.length);
    warnings.should.be.empty();
  });

  it('writes named objects', () => {
    const objects = [
      { name: '<a> & "b"', firstTriangle: 0, triangleCount: 4 },
      { name: 'lid', firstTriangle: 4, triangleCount: 8 },
    ];
    const { mesh } = parseText(Buffer.concat([...serializeModel({ ...makeCube(), objects }, 'amf')]));
    (mesh.objects ?? []).should.deepEqual(objects);
  });
});
