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

function parse(content: string | Uint8Array) {
  return parseOwn(Buffer.from(content), { filename: 'model.stl' });
}
function read(content: string | Uint8Array) {
  const { mesh, warnings } = parse(content);
  return { corners: [...mesh.positions], warnings: warnings.map(({ code }) => code) };
}
const ONE_TRIANGLE = { corners: TRIANGLE, warnings: [] };

/** The lines of two triangles in one dialect. */
const DIALECTS: Record<string, (lines: readonly string[]) => readonly string[]> = {
  'end loop in two words': (lines) => lines.map((line) => line.replace('endloop', 'end loop')),
  'all ends in two words': (lines) => lines.map((line) => line.replace(/^end/, 'end  ')),
  'ends with an underscore': (lines) => lines.map((line) => line.replace(/^end/, 'end_')),
  'ends with a hyphen, in capitals': (lines) => lines.map((line) => line.replace(/^end/, 'end-').toUpperCase()),
  'no lines for loops': (lines) => lines.filter((line) => !line.includes('loop')),
  'no lines for loops and the ends of facets': (lines) => lines.filter((line) => !/loop|endfacet/.test(line)),
  'no lines for facets': (lines) => lines.filter((line) => !line.includes('facet')),
  'no ends of loops and facets': (lines) => lines.filter((line) => !/endloop|endfacet/.test(line)),
  'the start of a loop in one word': (lines) => lines.map((line) => line.replace('outer loop', 'outerloop')),
  'no normals': (lines) => lines.map((line) => line.replace(/^facet normal.*/, 'facet')),
  'facets without a solid': (lines) => lines.filter((line) => !line.includes('solid')),
  'loops without facets and a solid': (lines) => lines.filter((line) => !/solid|facet/.test(line)),
  'a comment before the solid': (lines) => ['# a solid of 2 facets, vertex by vertex', ...lines],
  'text before the solid': (lines) => ['Exported by', 'a program (facet count: 2)', '', ...lines],
  'text before facets without a solid': (lines) => [
    '// facet by facet',
    ...lines.filter((line) => !line.includes('solid')),
  ],
  'comments on all lines': (lines) =>
    lines.flatMap((line) => [
      `${line} # vertex 1 2 3`,
      '; endloop',
      '// facet',
      '! vertex 1 2 3',
      '* solid',
      '% endsolid',
    ]),
  'a DOS end of file': (lines) => [...lines, '\u001a'],
};

describe('parseStlAscii', () => {
  for (const [name, toDialect] of Object.entries(DIALECTS)) {
    it(`reads ${name}`, () => {
      const second = FACET.map((line) => line.replace('0 0 0', '0 0 9'));
      const expected = parse(['solid part', ...FACET, ...second, 'endsolid part'].join('\n'));
      const { mesh, warnings } = parse(toDialect(['solid part', ...FACET, ...second, 'endsolid part']).join('\n'));
      warnings.should.be.empty();
      mesh.should.deepEqual(expected.mesh);
    });
  }

  it('ends a solid at the next one, and warns of a file that ends within a facet or a solid', () => {
    read(['solid a', ...FACET, 'solid b', ...FACET, 'end solid b'].join('\n')).warnings.should.be.empty();
    for (const lines of [
      ['solid a', ...FACET],
      [...FACET, ...FACET.slice(0, -2)],
      [...FACET, ...FACET.slice(0, 4)],
    ])
      read(lines.join('\n')).warnings.should.deepEqual(['TRUNCATED']);
  });

  for (const [name, end] of [
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR only', '\r'],
    ['spaces only', '  '],
  ] as const) {
    it(`reads lines that end in ${name}`, () => {
      if (end === '  ')
        read(TEXT.slice(1).join(end).replace('endsolid part', 'endsolid\n')).corners.should.deepEqual(TRIANGLE);
      else read(TEXT.join(end)).should.deepEqual(ONE_TRIANGLE);
    });
  }

  it('reads a name of any length', () => {
    for (const length of [4080, 4090, 8180, 100_000]) {
      const name = 'x'.repeat(length);
      read([`solid ${name}`, ...TEXT.slice(1, -1), `endsolid ${name}`].join('\n')).should.deepEqual(ONE_TRIANGLE);
    }
    read(`solid ${'ab '.repeat(10_000)}`.concat('\n', TEXT.slice(1).join('\n'))).should.deepEqual(ONE_TRIANGLE);
  });

  it('may have zero bytes after its keywords', () => {
    read(`${TEXT.join('\n')}\n${'\0'.repeat(100)}`).corners.should.deepEqual(TRIANGLE);
  });

  it('ignores case, indentation and a byte order mark', () => {
    read(`\ufeff${TEXT.join('\n\t  ').toUpperCase()}`).should.deepEqual(ONE_TRIANGLE);
  });

  it('reads UTF-16', () => {
    read(Buffer.from(`\ufeff${TEXT.join('\n')}`, 'utf16le')).should.deepEqual(ONE_TRIANGLE);
    read(Buffer.from(`\ufeff${TEXT.join('\n')}`, 'utf16le').swap16()).should.deepEqual(ONE_TRIANGLE);
  });

  it('accepts decimal commas', () => {
    read(TEXT.join('\n').replaceAll('.', ',')).should.deepEqual(ONE_TRIANGLE);
  });

  it('reads every float64 like Number', () => {
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

  it('skips and counts facets with a coordinate that is not a finite number', () => {
    for (const number of ['nan', '-inf', '1.#QNAN', '1e999', '0x10', '1e', '--1', '1.2.3', '']) {
      const bad = FACET.map((line) => line.replace('1.5', number));
      read(['solid', ...bad, ...FACET, 'endsolid'].join('\n')).should.deepEqual({
        corners: TRIANGLE,
        warnings: ['NOT_FINITE'],
      });
    }
  });

  it('reads the complete facets of a truncated file and warns', () => {
    read([...TEXT.slice(0, -1), ...FACET.slice(0, 4)].join('\n')).should.deepEqual({
      corners: TRIANGLE,
      warnings: ['TRUNCATED'],
    });
  });

  it('triangulates a loop of four corners as a fan', () => {
    const quad = TEXT.join('\n').replace('endloop', 'vertex -1 0.1 0\nendloop');
    [...parse(quad).mesh.triangles].should.deepEqual([0, 1, 2, 0, 2, 3]);
  });

  it('reads several solids as objects', () => {
    const { mesh } = parse([...TEXT, 'solid', ...FACET, ...FACET, 'endsolid'].join('\n'));
    (mesh.objects ?? []).should.deepEqual([
      { name: 'part', firstTriangle: 0, triangleCount: 1 },
      { name: '', firstTriangle: 1, triangleCount: 2 },
    ]);
  });

  it('throws FILE_EMPTY for a file without facets', () => {
    meshErrorOf(() => parse('solid nothing\nendsolid nothing\n')).code.should.equal('FILE_EMPTY');
  });
});

describe('serializeStlAscii', () => {
  it('round-trips a mesh bit for bit', () => {
    const torus = makeTorus(60, 30);
    const { mesh, warnings } = parse(Buffer.concat([...serializeModel(torus, 'stl-ascii')]));
    warnings.should.be.empty();
    const cornersOf = ({ positions, triangles }: typeof mesh) =>
      Array.from(triangles, (vertex) => positions.subarray(vertex * 3, vertex * 3 + 3).join());
    cornersOf(mesh).should.deepEqual(cornersOf(torus));
  });
});
