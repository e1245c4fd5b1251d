import 'should';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { makeTorus } from '../models/torus.js';
import { meshErrorOf } from './mesh-error-of.js';
import { parseOwn } from './parse-own.js';

const POINTS = ['0 0 0', '1 0 0', '1 1 0', '0 1 0'];
const SQUARE = ['OFF', '4 1 0', ...POINTS, '4 0 1 2 3'];

const parse = (...lines: string[]) => parseOwn(Buffer.from(lines.join('\n')), { filename: 'a.off' });
const read = (...lines: string[]) => {
  const { mesh, warnings } = parse(...lines);
  return { triangles: [...mesh.triangles], warnings: warnings.map(({ code }) => code) };
};
const SOUND = { triangles: [0, 1, 2, 0, 2, 3], warnings: [] };

describe('the reader of OFF', () => {
  it('reads faces of any number of corners', () => {
    read(...SQUARE).should.deepEqual(SOUND);
  });

  it('reads lines that end in CR, CR LF or LF', () => {
    for (const end of ['\r', '\r\n', '\n']) read(SQUARE.join(end)).should.deepEqual(SOUND);
  });

  it('skips comments and empty lines, wherever they stand', () => {
    const lines = SQUARE.flatMap((line) => ['', '# a comment', `${line} # and another`]);
    read(...lines).should.deepEqual(SOUND);
  });

  it('reads counts that stand behind the word, or without it', () => {
    read('OFF 4 1 0', ...SQUARE.slice(2)).should.deepEqual(SOUND);
    read(...SQUARE.slice(1)).should.deepEqual(SOUND);
    read('OFF', '4 1', ...SQUARE.slice(2)).should.deepEqual(SOUND);
  });

  it('reads coordinates before colours, normals and textures, and says which of these are not kept', () => {
    const withMore = (word: string, more: string) => [
      word,
      '4 1 0',
      ...POINTS.map((point) => `${point} ${more}`),
      '4 0 1 2 3',
    ];
    read(...withMore('COFF', '255 0 0 255')).should.deepEqual({ ...SOUND, warnings: ['COLOURS_DROPPED'] });
    read(...withMore('NOFF', '0 0 1')).should.deepEqual(SOUND);
    read(...withMore('STOFF', '0.5 0.5')).should.deepEqual({ ...SOUND, warnings: ['MATERIALS_DROPPED'] });
    read(...SQUARE.slice(0, -1), '4 0 1 2 3 255 0 0').should.deepEqual({ ...SOUND, warnings: ['COLOURS_DROPPED'] });
  });

  it('keeps what is whole of a file that was cut, or whose counts lie, and says so', () => {
    read('OFF', '4 2 0', ...SQUARE.slice(2)).should.deepEqual({ ...SOUND, warnings: ['TRUNCATED'] });
    read('OFF', '4 99999999999 0', ...SQUARE.slice(2)).should.deepEqual({ ...SOUND, warnings: ['TRUNCATED'] });
    meshErrorOf(() => parse('OFF', '99999999999 1 0', ...SQUARE.slice(2))).code.should.equal('FILE_EMPTY');
  });

  it('leaves out faces that point at no vertex, and counts them', () => {
    for (const face of ['3 0 1 4', '3 0 1 -1', '2 0 1', '3 0 1', 'x 0 1 2', '4000000000 0 1 2', '-3 0 1 2']) {
      const { triangles, warnings } = read('OFF', '4 2 0', ...SQUARE.slice(2), face);
      triangles.should.deepEqual(SOUND.triangles);
      warnings.should.containEql('FACES_DROPPED');
    }
  });

  it('leaves out faces with a vertex that is not finite', () => {
    const lines = ['OFF', '5 2 0', ...POINTS, 'nan 0 0', '4 0 1 2 3', '3 0 1 4'];
    read(...lines).should.deepEqual({ ...SOUND, warnings: ['FACES_DROPPED'] });
  });

  it('refuses what is no text of three dimensions', () => {
    for (const start of ['4OFF', 'nOFF', 'OFF BINARY', 'hello', 'OFF x', 'OFF 4', 'OFF -4 1 0']) {
      meshErrorOf(() => parse(start)).code.should.equal('FILE_MALFORMED');
    }
  });
});

describe('the writer of OFF', () => {
  it('writes what it reads back as the same mesh, to the last bit', () => {
    const torus = makeTorus(120, 60);
    const { mesh, warnings } = parse(Buffer.concat([...serializeModel(torus, 'off')]).toString());
    mesh.positions.should.deepEqual(torus.positions.map((value) => value + 0));
    mesh.triangles.should.deepEqual(torus.triangles);
    warnings.should.be.empty();
  });
});
