import 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const POINTS = ['0 0 0', '1 0 0', '1 1 0', '0 1 0'];
function createHeader(format: string, ...lines: string[]) {
  return ['ply', `format ${format} 1.0`, ...lines, 'end_header'];
}
const XYZ = ['property float x', 'property float y', 'property float z'];
const LIST = 'property list uchar int vertex_indices';
const SQUARE = [...createHeader('ascii', 'element vertex 4', ...XYZ, 'element face 1', LIST), ...POINTS, '4 0 1 2 3'];

function parse(content: string | Uint8Array) {
  return parseOwn(Buffer.from(content), { filename: 'a.ply' });
}
function read(content: string | Uint8Array) {
  const { mesh, warnings } = parse(content);
  return { triangles: [...mesh.triangles], warnings: warnings.map(({ code }) => code) };
}
const SQUARE_RESULT = { triangles: [0, 1, 2, 0, 2, 3], warnings: [] };

/**
 * Returns a binary square with a property of another type between the coordinates and an unknown element between the
 * lists.
 */
function binarySquare(isLittle: boolean, end = '\n'): Buffer {
  const lines = createHeader(
    isLittle ? 'binary_little_endian' : 'binary_big_endian',
    'element vertex 4',
    'property double x',
    'property short quality',
    'property float y',
    'property int z',
    'element camera 2',
    'property list ushort double views',
    'property uchar kind',
    'element face 1',
    'property list uint ushort vertex_index',
  );
  const data = Buffer.alloc(4 * 18 + 2 * 11 + 12);
  const view = new DataView(data.buffer, data.byteOffset);
  POINTS.forEach((point, i) => {
    const [x = 0, y = 0, z = 0] = point.split(' ').map(Number);
    view.setFloat64(i * 18, x, isLittle);
    view.setInt16(i * 18 + 8, -7, isLittle);
    view.setFloat32(i * 18 + 10, y, isLittle);
    view.setInt32(i * 18 + 14, z, isLittle);
  });
  for (const offset of [72, 83]) view.setUint16(offset, 1, isLittle);
  view.setUint32(94, 4, isLittle);
  for (let i = 0; i < 4; i++) view.setUint16(98 + i * 2, i, isLittle);
  return Buffer.concat([Buffer.from(lines.join(end) + end), data]);
}

describe('parsePly', () => {
  for (const [name, end] of Object.entries({ LF: '\n', 'CR LF': '\r\n', CR: '\r' })) {
    it(`reads ASCII with lines that end in ${name}`, () => {
      read(SQUARE.join(end)).should.deepEqual(SQUARE_RESULT);
    });

    it(`reads both byte orders after a header with lines that end in ${name}`, () => {
      for (const isLittle of [true, false]) {
        const { mesh } = parse(binarySquare(isLittle, end));
        [...mesh.triangles].should.deepEqual(SQUARE_RESULT.triangles);
        [...mesh.positions].should.deepEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
      }
    });
  }

  it('treats a byte 10 after CR as data if all lines end in CR', () => {
    const data = Buffer.alloc(4 * 3 + 1 + 3);
    data.set([10, 0, 0, 1, 0, 0, 0, 1, 0, 9, 9, 9, 3, 0, 1, 2]);
    const xyz = XYZ.map((line) => line.replace('float', 'uchar'));
    const lines = createHeader(
      'binary_little_endian',
      'element vertex 4',
      ...xyz,
      'element face 1',
      LIST.replace('int', 'uchar'),
    );
    const { mesh } = parse(Buffer.concat([Buffer.from(`${lines.join('\r')}\r`), data]));
    [...mesh.positions].should.deepEqual([10, 0, 0, 1, 0, 0, 0, 1, 0]);
  });

  it('reads faces that precede the vertices', () => {
    const lines = createHeader('ascii', 'element face 1', LIST, 'element vertex 4', ...XYZ);
    read([...lines, '4 0 1 2 3', ...POINTS].join('\n')).should.deepEqual(SQUARE_RESULT);
  });

  it('reverses every second triangle of a strip and restarts at -1', () => {
    const lines = createHeader('ascii', 'element vertex 4', ...XYZ, 'element tristrips 1', LIST);
    read([...lines, ...POINTS, '8 0 1 3 2 -1 0 1 2'].join('\n')).triangles.should.deepEqual([
      0, 1, 3, 3, 1, 2, 0, 1, 2,
    ]);
  });

  it('reads a record from its line if the lines hold more values than declared', () => {
    const faces = ['3 0 1 2 9 9', '', '3 0 2 3 9 9'];
    const text = [...SQUARE.slice(0, -1), ...faces].join('\n').replace('face 1', 'face 2');
    read(text).should.deepEqual(SQUARE_RESULT);
    const longPoints = SQUARE.map((line) => (POINTS.includes(line) ? `${line} 255` : line));
    read([...longPoints, '1 2 3'].join('\n')).should.deepEqual(SQUARE_RESULT);
    read(longPoints.join('\n')).should.deepEqual(SQUARE_RESULT);
  });

  it('reads records that share lines or run over several', () => {
    const header = SQUARE.slice(0, -5);
    read([...header, [...POINTS, '4 0 1 2 3'].join(' ')].join('\n')).should.deepEqual(SQUARE_RESULT);
    read([...header, [...POINTS, '4 0 1 2 3'].join(' ').replaceAll(' ', '\n')].join('\n')).should.deepEqual(
      SQUARE_RESULT,
    );
  });

  it('warns that colors and textures are not imported', () => {
    const lines = createHeader(
      'ascii',
      'element vertex 3',
      ...XYZ,
      'property uchar red',
      'element face 1',
      LIST,
      'property list uchar float texcoord',
    );
    const text = [...lines, '0 0 0 255', '1 0 0 0', '0 1 0 0', '3 0 1 2 6 0 0 0 0 0 0'].join('\n');
    read(text).should.deepEqual({ triangles: [0, 1, 2], warnings: ['COLOURS_DROPPED', 'MATERIALS_DROPPED'] });
  });

  it('reads the complete elements of a truncated file, or of one with wrong counts, and warns', () => {
    const whole = binarySquare(true);
    const two = Buffer.concat([
      Buffer.from(whole.toString('latin1').replace('face 1', 'face 2'), 'latin1'),
      Buffer.from([9]),
    ]);
    read(two).should.deepEqual({ ...SQUARE_RESULT, warnings: ['TRUNCATED'] });
    read(SQUARE.join('\n').replace('face 1', 'face 4000000000')).should.deepEqual({
      ...SQUARE_RESULT,
      warnings: ['TRUNCATED'],
    });
  });

  it('reads the complete lines of a truncated file whose lines have more values than declared', () => {
    const faces = Array.from({ length: 40 }, (_, face) => (face % 2 === 0 ? '3 0 1 2 255 0 0' : '3 0 2 3 255 0 0'));
    const text = [...SQUARE.slice(0, -1), ...faces].join('\n').replace('face 1', 'face 40');
    for (const end of ['0 1', '0 1 2 255', '0 1 2 255 0 0\n3 0 2'].map((last) => text.length - last.length)) {
      const { triangles, warnings } = read(text.slice(0, end));
      triangles.length.should.be.aboveOrEqual(38 * 3);
      warnings.should.deepEqual(triangles.length === 40 * 3 ? [] : ['TRUNCATED']);
    }
  });

  it('stops at a list that declares more values than the file contains', () => {
    for (const count of [2 ** 32 - 1, 20]) {
      const bytes = binarySquare(true);
      bytes.writeUInt32LE(count, bytes.length - 12);
      meshErrorOf(() => parse(bytes)).code.should.equal('FILE_EMPTY');
    }
    meshErrorOf(() => parse(SQUARE.join('\n').replace('4 0 1', '1e9 0 1'))).code.should.equal('FILE_EMPTY');
  });

  it('skips and counts faces with invalid indices', () => {
    for (const face of ['3 0 1 4', '3 0 1 -1', '2 0 1', '3 0 1 x', '0', '3 0 1 0.5']) {
      const text = [...SQUARE, face].join('\n').replace('face 1', 'face 2');
      read(text).should.deepEqual({ ...SQUARE_RESULT, warnings: ['FACES_DROPPED'] });
    }
  });

  it('throws FILE_EMPTY for points without faces, and says so', () => {
    const error = meshErrorOf(() =>
      parse([...createHeader('ascii', 'element vertex 4', ...XYZ), ...POINTS].join('\n')),
    );
    error.code.should.equal('FILE_EMPTY');
    error.message.should.containEql('no faces');
  });

  it('throws FILE_MALFORMED for an invalid header, and names the line', () => {
    const MALFORMED: Record<string, string> = {
      'does not begin': `x${SQUARE.join('\n')}`,
      'no end_header': SQUARE.slice(0, 6).join('\n'),
      'no format': SQUARE.filter((line) => !line.startsWith('format')).join('\n'),
      '“morse”': SQUARE.join('\n').replace('ascii', 'morse'),
      'line 3': SQUARE.join('\n').replace('vertex 4', 'vertex -4'),
      'line 5': SQUARE.join('\n').replace('float y', 'real y'),
    };
    for (const [part, text] of Object.entries(MALFORMED)) {
      const error = meshErrorOf(() => parse(text));
      error.code.should.equal('FILE_MALFORMED');
      error.message.should.containEql(part);
    }
  });
});

describe('serializePly', () => {
  it('round-trips a mesh of several chunks bit for bit', () => {
    const torus = makeTorus(240, 110);
    const { mesh, warnings } = parse(Buffer.concat([...serializeModel(torus, 'ply')]));
    mesh.positions.should.deepEqual(torus.positions.map((value) => value + 0));
    mesh.triangles.should.deepEqual(torus.triangles);
    warnings.should.be.empty();
  });
});
