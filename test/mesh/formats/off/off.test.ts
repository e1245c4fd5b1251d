import 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const POINTS = ['0 0 0', '1 0 0', '1 1 0', '0 1 0'];
const SQUARE = ['OFF', '4 1 0', ...POINTS, '4 0 1 2 3'];

function parse(...lines: string[]) {
  return parseOwn(Buffer.from(lines.join('\n')), { filename: 'a.off' });
}
function read(...lines: string[]) {
  const { mesh, warnings } = parse(...lines);
  return { triangles: [...mesh.triangles], warnings: warnings.map(({ code }) => code) };
}
const SQUARE_RESULT = { triangles: [0, 1, 2, 0, 2, 3], warnings: [] };

describe('parseOff', () => {
  it('reads faces of any number of corners', () => {
    read(...SQUARE).should.deepEqual(SQUARE_RESULT);
  });

  it('reads lines that end in CR, CR LF or LF', () => {
    for (const end of ['\r', '\r\n', '\n']) read(SQUARE.join(end)).should.deepEqual(SQUARE_RESULT);
  });

  it('skips comments and empty lines anywhere', () => {
    const lines = SQUARE.flatMap((line) => ['', '# a comment', `${line} # and another`]);
    read(...lines).should.deepEqual(SQUARE_RESULT);
  });

  it('reads counts on the line of the keyword, or without a keyword', () => {
    read('OFF 4 1 0', ...SQUARE.slice(2)).should.deepEqual(SQUARE_RESULT);
    read(...SQUARE.slice(1)).should.deepEqual(SQUARE_RESULT);
    read('OFF', '4 1', ...SQUARE.slice(2)).should.deepEqual(SQUARE_RESULT);
  });

  it('reads counts directly after the keyword, in any case and with a prefix', () => {
    for (const word of ['OFF', 'off', 'COFF', 'NCOFF', 'STOFF']) {
      const { triangles } = read(`${word}4 1 0`, ...SQUARE.slice(2));
      triangles.should.deepEqual(SQUARE_RESULT.triangles, word);
    }
    read('# ModelNet', '', 'OFF4 1 0 # counts', ...SQUARE.slice(2)).should.deepEqual(SQUARE_RESULT);
    read('OFF4', '1', '0', ...SQUARE.slice(2)).should.deepEqual(SQUARE_RESULT);
  });

  it('reads counts on a line each, with and without the edge count', () => {
    read('OFF', '4', '1', '0', ...SQUARE.slice(2)).should.deepEqual(SQUARE_RESULT);
    read('OFF', '4', '1', ...SQUARE.slice(2)).should.deepEqual(SQUARE_RESULT);
    read('OFF', '4 1', '', '# edges', '0', '', ...SQUARE.slice(2)).should.deepEqual(SQUARE_RESULT);
  });

  const PREFIXES: Record<string, string[]> = {
    N: [],
    C: ['COLOURS_DROPPED'],
    NC: ['COLOURS_DROPPED'],
    CN: ['COLOURS_DROPPED'],
    ST: ['MATERIALS_DROPPED'],
    NST: ['MATERIALS_DROPPED'],
    STN: ['MATERIALS_DROPPED'],
    CST: ['COLOURS_DROPPED', 'MATERIALS_DROPPED'],
    STC: ['COLOURS_DROPPED', 'MATERIALS_DROPPED'],
    STCN: ['COLOURS_DROPPED', 'MATERIALS_DROPPED'],
    NCST: ['COLOURS_DROPPED', 'MATERIALS_DROPPED'],
  };
  for (const [prefix, warnings] of Object.entries(PREFIXES)) {
    it(`reads ${prefix}OFF`, () => {
      const points = POINTS.map((point) => `${point} 0 0 1 255 0 0 255 0.5 0.5`);
      for (const word of [`${prefix}OFF`, `${prefix}OFF`.toLowerCase()])
        read(word, '4 1 0', ...points, '4 0 1 2 3').should.deepEqual({ ...SQUARE_RESULT, warnings });
    });
  }

  it('reads a keyword after comments of any length', () => {
    read(`# ${'long '.repeat(2000)}`, ...SQUARE).should.deepEqual(SQUARE_RESULT);
  });

  it('ignores colors, normals and texture coordinates, and warns about colors and textures', () => {
    const withMore = (word: string, more: string) => [
      word,
      '4 1 0',
      ...POINTS.map((point) => `${point} ${more}`),
      '4 0 1 2 3',
    ];
    read(...withMore('COFF', '255 0 0 255')).should.deepEqual({ ...SQUARE_RESULT, warnings: ['COLOURS_DROPPED'] });
    read(...withMore('NOFF', '0 0 1')).should.deepEqual(SQUARE_RESULT);
    read(...withMore('STOFF', '0.5 0.5')).should.deepEqual({ ...SQUARE_RESULT, warnings: ['MATERIALS_DROPPED'] });
    read(...SQUARE.slice(0, -1), '4 0 1 2 3 255 0 0').should.deepEqual({
      ...SQUARE_RESULT,
      warnings: ['COLOURS_DROPPED'],
    });
  });

  it('reads the complete elements of a truncated file, or of one with wrong counts, and warns', () => {
    read('OFF', '4 2 0', ...SQUARE.slice(2)).should.deepEqual({ ...SQUARE_RESULT, warnings: ['TRUNCATED'] });
    read('OFF', '4 99999999999 0', ...SQUARE.slice(2)).should.deepEqual({ ...SQUARE_RESULT, warnings: ['TRUNCATED'] });
    meshErrorOf(() => parse('OFF', '99999999999 1 0', ...SQUARE.slice(2))).code.should.equal('FILE_EMPTY');
  });

  it('reads faces that run over several lines', () => {
    read(...SQUARE.slice(0, -1), '4 0', '1', '', '2 3 # the last one', '').should.deepEqual(SQUARE_RESULT);
    const twoFaces = [...SQUARE.slice(0, -1), '3', '0', '1', '2', '3', '0 2', '3'];
    read(...twoFaces.with(1, '4 2 0')).should.deepEqual(SQUARE_RESULT);
  });

  it('skips a single face whose line is short, and no other', () => {
    const faces = ['3 0 1 2', '4 0 1 2', '3 0 2 3', '3 1 2 3'];
    const result = read('OFF', '4 4 0', ...POINTS, ...faces);
    result.should.deepEqual({ triangles: [0, 1, 2, 0, 2, 3, 1, 2, 3], warnings: ['FACES_DROPPED'] });
  });

  it('skips and counts faces with invalid indices', () => {
    for (const face of ['3 0 1 4', '3 0 1 -1', '2 0 1', '3 0 1', 'x 0 1 2', '4000000000 0 1 2', '-3 0 1 2']) {
      const { triangles, warnings } = read('OFF', '4 2 0', ...SQUARE.slice(2), face);
      triangles.should.deepEqual(SQUARE_RESULT.triangles);
      warnings.should.containEql('FACES_DROPPED');
    }
  });

  it('skips faces with a vertex that is not finite', () => {
    const lines = ['OFF', '5 2 0', ...POINTS, 'nan 0 0', '4 0 1 2 3', '3 0 1 4'];
    read(...lines).should.deepEqual({ ...SQUARE_RESULT, warnings: ['FACES_DROPPED'] });
  });

  it('throws FILE_MALFORMED for 4OFF, nOFF, binary OFF and invalid headers', () => {
    for (const start of [
      '4OFF',
      'nOFF',
      'CnOFF',
      '4nOFF',
      'OFF BINARY',
      'hello',
      'OFFSET',
      'OFF x',
      'OFF 4',
      'OFF -4 1 0',
    ]) {
      meshErrorOf(() => parse(start)).code.should.equal('FILE_MALFORMED');
    }
    meshErrorOf(() => parse('nOFF', '3', ...SQUARE.slice(1))).code.should.equal('FILE_MALFORMED');
  });
});

describe('serializeOff', () => {
  it('round-trips a mesh bit for bit', () => {
    const torus = makeTorus(120, 60);
    const { mesh, warnings } = parse(Buffer.concat([...serializeModel(torus, 'off')]).toString());
    mesh.positions.should.deepEqual(torus.positions.map((value) => value + 0));
    mesh.triangles.should.deepEqual(torus.triangles);
    warnings.should.be.empty();
  });
});
