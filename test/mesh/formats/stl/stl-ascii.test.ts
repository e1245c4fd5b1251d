import 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const FACET = [
  'facet normal 0 0 1',
  'outer loop',
  'vertex 0 0 0',
  'vertex 1.5 0 0',
  'vertex 0 1e-1 0',
  'endloop',
  'endfacet',
];
const TEXT = ['solid part', ...FACET, 'endsolid part'];
const TRIANGLE = [0, 0, 0, 1.5, 0, 0, 0, 0.1, 0];

const parse = (content: string | Uint8Array) => parseOwn(Buffer.from(content), { filename: 'model.stl' });
const read = (content: string | Uint8Array) => {
  const { mesh, warnings } = parse(content);
  return { corners: [...mesh.positions], warnings: warnings.map(({ code }) => code) };
};
const SOUND = { corners: TRIANGLE, warnings: [] };

describe('the reader of ASCII STL', () => {
  for (const [name, end] of [
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR only', '\r'],
    ['spaces only', '  '],
  ] as const) {
    it(`reads lines that end in ${name}`, () => {
      if (end === '  ')
        read(TEXT.slice(1).join(end).replace('endsolid part', 'endsolid\n')).corners.should.deepEqual(TRIANGLE);
      else read(TEXT.join(end)).should.deepEqual(SOUND);
    });
  }

  it('has no regard to case, indentation or a byte order mark', () => {
    read(`\ufeff${TEXT.join('\n\t  ').toUpperCase()}`).should.deepEqual(SOUND);
  });

  it('reads UTF-16', () => {
    read(Buffer.from(`\ufeff${TEXT.join('\n')}`, 'utf16le')).should.deepEqual(SOUND);
    read(Buffer.from(`\ufeff${TEXT.join('\n')}`, 'utf16le').swap16()).should.deepEqual(SOUND);
  });

  it('takes decimal commas for points', () => {
    read(TEXT.join('\n').replaceAll('.', ',')).should.deepEqual(SOUND);
  });

  it('reads every float64 as JavaScript does', () => {
    const numbers = [
      '1e22',
      '1e23',
      '-0.1',
      '+.5',
      '5.',
      '9007199254740993',
      '3.14159265358979323846264338327950288',
      '4.9e-324',
      '1E5',
    ];
    for (const number of numbers) {
      (parse(TEXT.join('\n').replace('1.5', number)).mesh.positions[3] ?? Number.NaN).should.equal(Number(number));
    }
  });

  it('leaves out facets with what is no finite number, and counts them', () => {
    for (const number of ['nan', '-inf', '1.#QNAN', '1e999', '0x10', '1e', '--1', '1.2.3', '']) {
      const bad = FACET.map((line) => line.replace('1.5', number));
      read(['solid', ...bad, ...FACET, 'endsolid'].join('\n')).should.deepEqual({
        corners: TRIANGLE,
        warnings: ['NOT_FINITE'],
      });
    }
  });

  it('keeps what is whole of a file that was cut, and says so', () => {
    read([...TEXT.slice(0, -1), ...FACET.slice(0, 4)].join('\n')).should.deepEqual({
      corners: TRIANGLE,
      warnings: ['TRUNCATED'],
    });
  });

  it('makes a fan of a loop with more than three corners', () => {
    const quad = TEXT.join('\n').replace('endloop', 'vertex -1 0.1 0\nendloop');
    [...parse(quad).mesh.triangles].should.deepEqual([0, 1, 2, 0, 2, 3]);
  });

  it('keeps several solids as objects', () => {
    const { mesh } = parse([...TEXT, 'solid', ...FACET, ...FACET, 'endsolid'].join('\n'));
    (mesh.objects ?? []).should.deepEqual([
      { name: 'part', firstTriangle: 0, triangleCount: 1 },
      { name: '', firstTriangle: 1, triangleCount: 2 },
    ]);
  });

  it('refuses a file without a facet', () => {
    meshErrorOf(() => parse('solid nothing\nendsolid nothing\n')).code.should.equal('FILE_EMPTY');
  });
});

describe('the writer of ASCII STL', () => {
  it('writes what it reads back as the same mesh, to the last bit', () => {
    const torus = makeTorus(60, 30);
    const { mesh, warnings } = parse(Buffer.concat([...serializeModel(torus, 'stl-ascii')]));
    warnings.should.be.empty();
    const cornersOf = ({ positions, triangles }: typeof mesh) =>
      Array.from(triangles, (vertex) => positions.subarray(vertex * 3, vertex * 3 + 3).join());
    cornersOf(mesh).should.deepEqual(cornersOf(torus));
  });
});
