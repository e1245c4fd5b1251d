import 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { GEOMETRIES } from '../../../../src/mesh/formats/x3d/x3d-geometries.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

/** The nodes of type X3DGeometryNode in ISO/IEC 19775-1:2023, and what VRML 97 and its amendment have beside them. */
const STANDARD =
  'Arc2D ArcClose2D Box Circle2D Cone Cylinder Disk2D ElevationGrid Extrusion GeoElevationGrid IndexedFaceSet ' +
  'IndexedLineSet IndexedQuadSet IndexedTriangleFanSet IndexedTriangleSet IndexedTriangleStripSet LineSet NurbsCurve ' +
  'NurbsPatchSurface NurbsSweptSurface NurbsSwungSurface NurbsTrimmedSurface PointSet Polyline2D Polypoint2D QuadSet ' +
  'Rectangle2D Sphere Text TriangleFanSet TriangleSet TriangleSet2D TriangleStripSet NurbsSurface TrimmedSurface';

function parseX3d(scene: string) {
  return parseOwn(Buffer.from(`<X3D version="3.3"><Scene>${scene}</Scene></X3D>`), { filename: 'a.x3d' });
}
function parseVrml(text: string) {
  return parseOwn(Buffer.from(`#X3D V3.3 utf8\n${text}`), { filename: 'a.wrl' });
}

// A tetrahedron of 1/6 m³: its corners, its faces, and sequences of corners with the same triangles.
const CORNERS = ['0 0 0', '1 0 0', '0 1 0', '0 0 1'];
const FACES = '0 2 1 0 1 3 0 3 2 1 2 3';
const STRIP = '0 2 1 3 0 2';
const FANS = '0 2 1 3 2 -1 1 2 3';
const FAN_COUNTS = '5 3';
function pointsAt(indices: string): string {
  return indices
    .split(' ')
    .filter((index) => index !== '-1')
    .map((index) => CORNERS[Number(index)])
    .join(' ');
}

/** node type → its fields → the field of its points */
const TETRAHEDRA: Record<string, [name: string, fields: Record<string, string>, points: string][]> = {
  IndexedTriangleSet: [
    ['with all indices in sequence', { index: FACES }, CORNERS.join(' ')],
    ['with separated indices', { index: '0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1' }, CORNERS.join(' ')],
  ],
  TriangleSet: [['with points in sequence', {}, pointsAt(FACES)]],
  IndexedTriangleStripSet: [
    ['of one strip', { index: STRIP }, CORNERS.join(' ')],
    ['of two strips', { index: '0 2 1 3 -1 1 3 0 2 -1' }, CORNERS.join(' ')],
    ['that is joined by equal indices', { index: '0 2 1 3 3 1 1 3 0 2' }, CORNERS.join(' ')],
  ],
  TriangleStripSet: [
    ['of one strip', { stripCount: '6' }, pointsAt(STRIP)],
    ['of two strips', { stripCount: '4 4' }, pointsAt('0 2 1 3 1 3 0 2')],
  ],
  IndexedTriangleFanSet: [['of two fans', { index: FANS }, CORNERS.join(' ')]],
  TriangleFanSet: [['of two fans', { fanCount: FAN_COUNTS }, pointsAt(FANS)]],
  IndexedFaceSet: [['of triangles', { coordIndex: FACES.replace(/(\d \d \d) /g, '$1 -1 ') }, CORNERS.join(' ')]],
};

describe('GEOMETRIES', () => {
  it('contains all geometry nodes of the standards', () => {
    STANDARD.split(' ')
      .filter((type) => !GEOMETRIES.has(type))
      .should.be.empty();
  });

  for (const [type, isRead] of GEOMETRIES) {
    if (isRead) continue;
    it(`names ${type}, which is not read`, () => {
      const message = new RegExp(`types are not imported: ${type}\\.`);
      const refused = meshErrorOf(() => parseX3d(`<Shape><${type}/></Shape>`));
      refused.should.match({ code: 'FILE_EMPTY', message });
      const inXml = parseX3d(`<Shape><${type}/></Shape><Shape><Box/></Shape>`);
      const inText = parseVrml(`Shape { geometry ${type} { } } Shape { geometry Box { } }`);
      for (const { warnings } of [inXml, inText]) warnings.should.match([{ code: 'SHAPES_DROPPED', message }]);
    });
  }

  it('names geometries that are in no standard, and coordinates on the globe', () => {
    const torus = parseVrml('Shape { appearance Appearance { } geometry Torus { } } Shape { geometry Box { } }');
    torus.warnings.should.match([{ code: 'SHAPES_DROPPED', message: /: Torus\./ }]);
    const globe = parseX3d(
      '<Shape><IndexedFaceSet coordIndex="0 1 2"><GeoCoordinate point="0 0 0 1 0 0 0 1 0"/></IndexedFaceSet></Shape><Shape><Box/></Shape>',
    );
    globe.warnings.should.match([{ code: 'SHAPES_DROPPED', message: /: IndexedFaceSet with GeoCoordinate\./ }]);
  });

  it('lists ten names at most', () => {
    const shapes = Array.from({ length: 12 }, (_, i) => `Shape { geometry Unknown${i + 10} { } }`);
    const [warning] = parseVrml(`${shapes.join(' ')} Shape { geometry Box { } }`).warnings;
    (warning?.message ?? '').should.endWith('Unknown18, Unknown19, 2 more.');
  });

  for (const [type, cases] of Object.entries(TETRAHEDRA)) {
    for (const [name, fields, points] of cases) {
      for (const isReversed of [false, true]) {
        it(`reads a ${type} ${name}${isReversed ? ', clockwise' : ''}`, () => {
          const attributes = Object.entries(fields).map(([field, value]) => `${field}="${value}"`);
          const values = Object.entries(fields).map(([field, value]) => `${field} [ ${value} ]`);
          const parsed = [
            parseX3d(
              `<Shape><${type} ${attributes.join(' ')} ccw="${!isReversed}"><Coordinate point="${points}"/></${type}></Shape>`,
            ),
            parseVrml(
              `Shape { geometry ${type} { ${values.join(' ')} ccw ${isReversed ? 'FALSE' : 'TRUE'} coord CoordinateDouble { point [ ${points} ] } } }`,
            ),
          ];
          for (const { mesh, warnings } of parsed) {
            warnings.should.be.empty();
            mesh.triangles.length.should.equal(12);
            const { badEdges, volumeMm3 } = analyze(mesh);
            badEdges.should.equal(0);
            volumeMm3.should.be.approximately((isReversed ? -1 : 1) * (1e9 / 6), 1);
          }
        });
      }
    }
  }

  it('reads a QuadSet and an IndexedQuadSet', () => {
    const points = '0 0 0 1 0 0 1 1 0 0 1 0';
    for (const set of [`IndexedQuadSet index="0 1 2 3"`, 'IndexedQuadSet index="0 1 2 3 -1"', 'QuadSet']) {
      const type = set.split(' ')[0];
      const { mesh, warnings } = parseX3d(`<Shape><${set}><Coordinate point="${points}"/></${type}></Shape>`);
      [...mesh.triangles].should.deepEqual([0, 1, 2, 0, 2, 3]);
      warnings.should.be.empty();
    }
  });

  it('counts the faces of strips and fans whose points are missing', () => {
    const points = pointsAt(STRIP);
    for (const fields of [
      'TriangleStripSet stripCount="7"',
      'TriangleStripSet stripCount="4000000000"',
      'TriangleFanSet fanCount="6 3"',
      'TriangleFanSet fanCount="3 -3"',
      'IndexedTriangleStripSet index="0 1 2 9"',
    ]) {
      const type = fields.split(' ')[0];
      const { warnings } = parseX3d(`<Shape><${fields}><Coordinate point="${points}"/></${type}></Shape>`);
      warnings.should.match([{ code: 'FACES_DROPPED', message: /^1 face / }]);
    }
  });

  it('shows no geometry of sensors, scripts and emitters, and applies all kinds of transforms', () => {
    const hidden = [
      'Script { field SFNode a Shape { geometry Box { size 9 9 9 } } }',
      'PrimitivePickSensor { pickingGeometry Box { size 9 9 9 } }',
      'Collision { proxy Shape { geometry Box { size 9 9 9 } } }',
      'Group { metadata MetadataSet { } }',
    ];
    parseVrml(`${hidden.join('\n')} Shape { geometry Box { } }`).mesh.triangles.length.should.equal(36);
    for (const type of ['CADPart', 'HAnimSite', 'EspduTransform']) {
      const { mesh } = parseX3d(`<${type} translation="5 0 0"><Shape><Box/></Shape></${type}>`);
      Math.max(...mesh.positions).should.equal(6000);
    }
  });
});
