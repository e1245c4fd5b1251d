import 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const SQUARE = ['v 0 0 0', 'v 1 0 0', 'v 1 1 0', 'v 0 1 0'];

function parse(...lines: string[]) {
  return parseOwn(Buffer.from(lines.join('\n')), { filename: 'model.obj' });
}
function trianglesOf(...lines: string[]) {
  return [...parse(...lines).mesh.triangles];
}

describe('parseObj', () => {
  it('reads faces with texture and normal indices, and ignores comments', () => {
    trianglesOf('# a square', ...SQUARE, 'vn 0 0 1', 'f 1/1/1 2//1 3/3 # the first', 'f 1 3 4').should.deepEqual([
      0, 1, 2, 0, 2, 3,
    ]);
  });

  it('counts negative indices back from the last vertex read', () => {
    trianglesOf(...SQUARE.slice(0, 3), 'f -3 -2 -1', 'v 0 1 0').should.deepEqual([0, 1, 2]);
  });

  it('reads faces that precede their vertices', () => {
    trianglesOf('f 1 2 3', ...SQUARE).should.deepEqual([0, 1, 2]);
  });

  it('continues a line that ends in a backslash', () => {
    trianglesOf(...SQUARE, 'f 1 \\', ' 2 \\\r', '3').should.deepEqual([0, 1, 2]);
  });

  const CONTINUED: Record<string, string[]> = {
    'a face, several times': ['f 1 \\', '2 \\', '3 \\', '4'],
    'a face before a space': ['f 1 2 3 \\ ', '\t4'],
    'a face after a word': ['f 1 2/2\\', '3//3\\ ', '4'],
    'a face with CR LF': ['f 1 2 \\\r', '3 4\r'],
    'a vertex, which an empty line ends': ['v 9 \\', '9 9 \\', '', 'f 1 2 3 4'],
    'a vertex after a number': ['v 0 1\\', '0', 'f 1 2 3 5'],
  };
  for (const [name, lines] of Object.entries(CONTINUED)) {
    it(`continues ${name}`, () => {
      const { mesh, warnings } = parse(...SQUARE, ...lines);
      [...mesh.triangles].should.deepEqual([0, 1, 2, 0, 2, 3]);
      warnings.should.be.empty();
    });
  }

  for (const line of ['# C:\\models\\', 'usemtl C:\\', 'mtllib a\\b.mtl \\', 'g lid\\', 'o C:\\', 's off \\', 'x \\']) {
    it(`does not continue “${line}”`, () => {
      trianglesOf(line, ...SQUARE, line, 'f 1 2 3', line, 'f 1 3 4', line).should.deepEqual([0, 1, 2, 0, 2, 3]);
    });
  }

  it('does not continue a comment after words', () => {
    trianglesOf(...SQUARE.map((line) => `${line} # C:\\`), 'f 1 2 3 # \\', 'f 1 3 4').should.deepEqual([
      0, 1, 2, 0, 2, 3,
    ]);
  });

  it('skips and counts faces with invalid indices', () => {
    for (const face of ['f 0 1 2', 'f 1 2 5', 'f 1 2 99999999999', 'f 1 2 -9', 'f 1 2', 'f 1 2 x', 'f']) {
      const { mesh, warnings } = parse(...SQUARE, 'f 1 2 3', face, '');
      [...mesh.triangles].should.deepEqual([0, 1, 2]);
      warnings.map(({ code }) => code).should.deepEqual(['FACES_DROPPED']);
    }
  });

  it('skips faces with a vertex that is not finite, and drops the vertex', () => {
    const { mesh, warnings } = parse(...SQUARE, 'v nan 0 0', 'f 1 2 3', 'f 1 2 5');
    [...mesh.positions].should.deepEqual([0, 0, 0, 1, 0, 0, 1, 1, 0]);
    warnings.map(({ code }) => code).should.deepEqual(['FACES_DROPPED']);
  });

  it('triangulates a concave face within its outline', () => {
    // An arrowhead: the corner at (1, 1) is concave.
    const { mesh } = parse('v 0 0 0', 'v 4 0 0', 'v 1 1 0', 'v 0 4 0', 'f 2 3 4 1');
    // No triangle contains both (4, 0) and (0, 4), because it would lie outside.
    mesh.triangles.length.should.equal(6);
    for (const offset of [0, 3])
      mesh.triangles
        .subarray(offset, offset + 3)
        .includes(2)
        .should.be.true();
  });

  it('keeps collinear corners of a face', () => {
    const { mesh } = parse('v 0 0 0', 'v 1 0 0', 'v 2 0 0', 'v 2 2 0', 'v 0 2 0', 'f 1 2 3 4 5');
    mesh.triangles.length.should.equal(9);
    new Set(mesh.triangles).size.should.equal(5);
  });

  it('welds equal vertices and drops unused ones', () => {
    const { mesh } = parse(...SQUARE, 'v 0 0 -0', 'v 9 9 9', 'f 1 2 3', 'f 5 3 4');
    [...mesh.triangles].should.deepEqual([0, 1, 2, 0, 2, 3]);
    mesh.positions.length.should.equal(12);
  });

  it('names objects by o lines, or by g lines if there are none', () => {
    const faces = ['f 1 2 3', 'f 1 3 4'];
    const ranges = [
      { name: 'left wing', firstTriangle: 0, triangleCount: 1 },
      { name: 'b', firstTriangle: 1, triangleCount: 1 },
    ];
    (parse(...SQUARE, 'o left wing', faces[0] ?? '', 'g x', 'o b', faces[1] ?? '').mesh.objects ?? []).should.deepEqual(
      ranges,
    );
    (
      parse(...SQUARE, 'g left wing', faces[0] ?? '', 'g b', faces[1] ?? '', 'g none').mesh.objects ?? []
    ).should.deepEqual(ranges);
  });

  it('warns that materials are not imported', () => {
    parse('mtllib a.mtl', ...SQUARE, 'usemtl red', 'f 1 2 3')
      .warnings.map(({ code }) => code)
      .should.deepEqual(['MATERIALS_DROPPED']);
  });

  it('throws FILE_EMPTY for a file without faces', () => {
    meshErrorOf(() => parse(...SQUARE)).code.should.equal('FILE_EMPTY');
    meshErrorOf(() => parse('\u0000\u0001')).code.should.equal('FILE_EMPTY');
  });
});

describe('serializeObj', () => {
  it('round-trips positions, triangles and objects', () => {
    const torus = { ...makeTorus(), objects: [{ name: 'half of it', firstTriangle: 10, triangleCount: 600 }] };
    const { mesh } = parseOwn(Buffer.concat([...serializeModel(torus, 'obj')]), { filename: 'torus.obj' });
    mesh.positions.should.deepEqual(torus.positions);
    mesh.triangles.should.deepEqual(torus.triangles);
    (mesh.objects?.[0]?.firstTriangle ?? 0).should.equal(10);
  });
});
