import fc from 'fast-check';
import should from 'should';
import { FastFacetReader } from '../../../../src/mesh/formats/stl/fast-facet-reader.js';
import { parseStlAscii } from '../../../../src/mesh/formats/stl/stl-ascii.js';
import { TextScanner } from '../../../../src/mesh/formats/text/text-scanner.js';

const number = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }).map((value) => value.toFixed(6)) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }).map((value) => value.toExponential(8)) },
  { weight: 1, arbitrary: fc.constantFrom('nan', '-nan(ind)', '1,5', '1e99', 'x', '+2', '') },
);
const numbers = (count: number) => fc.array(number, { minLength: count, maxLength: count }).map((all) => all.join(' '));
const gap = fc.oneof(
  { weight: 8, arbitrary: fc.constant('\n    ') },
  { weight: 2, arbitrary: fc.constantFrom(' ', '\r\n', '\t', '\n\n  ', '\r      ') },
);
const facetWords = fc
  .tuple(numbers(3), numbers(3), numbers(3), numbers(3), fc.constantFrom('endloop', 'endloop', 'end loop', 'end_loop'))
  .map(([normal, a, b, c, end]) => [
    `facet normal ${normal}`,
    'outer loop',
    `vertex ${a}`,
    `vertex ${b}`,
    `vertex ${c}`,
    end,
    'endfacet',
  ]);
/** A facet with a missing, replaced or additional line. */
const oddFacetWords = fc
  .tuple(
    facetWords,
    fc.nat(7),
    fc.nat(1),
    fc.constantFrom(
      'vertex 1 2 3',
      'endloop',
      'solid b',
      'endsolid b',
      'facet',
      'Vertex 4 5 6',
      'vertexes',
      'facet normal vertex 1 2',
      'outer loop',
      'end loop',
      'end facet',
      '# facet\n',
      'x',
    ),
  )
  .map(([words, offset, dropped, more]) => words.toSpliced(offset, dropped, more));
const documents = fc
  .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: facetWords }, { weight: 1, arbitrary: oddFacetWords }), gap), {
    maxLength: 8,
  })
  .map((facets) => `solid a\n${facets.map(([words, space]) => words.join(space)).join('\n')}\nendsolid a\n`);

describe('FastFacetReader', () => {
  it('reads the same facets as the general reader', () => {
    let triangles = 0;
    fc.assert(
      fc.property(documents, fc.nat(40), (text, cut) => {
        const whole = cut < 20 ? text : text.slice(0, Math.max('solid a\n'.length, text.length - cut));
        const read = parseStlAscii(Buffer.from(whole));
        // In capitals, the fast path does not apply. Only the names differ.
        const { mesh, warnings } = parseStlAscii(Buffer.from(whole.toUpperCase()));
        const objects = mesh.objects?.map((object) => ({ ...object, name: object.name.toLowerCase() }));
        should(read).deepEqual({ mesh: objects ? { ...mesh, objects } : mesh, warnings });
        triangles += mesh.triangles.length / 3;
      }),
      { numRuns: 2000 },
    );
    should(triangles).be.above(1000);
  });

  it('reads a facet completely or leaves the position unchanged', () => {
    const facet = 'facet normal 0 0 1\n outer loop\n vertex 1 2 3\n vertex 4 5 6\n vertex 7 8 9\n endloop\nendfacet\n';
    const tryFacet = (text: string) => {
      const scanner = new TextScanner(Buffer.from(text));
      const facets = new FastFacetReader(scanner);
      return { wasRead: facets.tryRead(), position: scanner.position, corners: [...facets.corners] };
    };
    const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    should(tryFacet(`endfacet ${facet}`)).deepEqual({
      wasRead: true,
      position: 9 + facet.indexOf('\nendfacet'),
      corners: nine,
    });
    const otherForms = [
      facet.toUpperCase(),
      facet.replace('outer', ''),
      facet.replace('endloop', 'vertex 1 2 3'),
      facet.replace('0 0 1', '0 vertex 1'),
    ];
    for (const text of [...otherForms, '', 'facet', 'endsolid'])
      should(tryFacet(text)).containEql({ wasRead: false, position: 0 });
  });

  it('takes the vertices of corners with the same text from the facet before', () => {
    const facetOf = (...corners: string[]) =>
      `facet normal 0 0 1\n outer loop\n${corners.map((corner) => ` vertex ${corner}\n`).join('')} endloop\nendfacet\n`;
    const facets = new FastFacetReader(
      new TextScanner(
        Buffer.from(
          [
            facetOf('1 2 3', '4 5 6', '7 8 9'),
            facetOf('7 8 9', '4 5 6', '1 2 34'),
            facetOf('1 2 3', '1 2', '1 2 34.'),
          ].join(''),
        ),
      ),
    );
    facets.tryRead();
    should([...facets.vertices]).deepEqual([-1, -1, -1]);
    facets.vertices.set([0, 1, 2]);
    facets.tryRead();
    should([...facets.vertices]).deepEqual([2, 1, -1]);
    should([...facets.corners.subarray(6)]).deepEqual([1, 2, 34]);
    facets.vertices[2] = 3;
    facets.tryRead();
    should([...facets.vertices]).deepEqual([-1, -1, -1]);
    should([...facets.corners]).deepEqual([1, 2, 3, 1, 2, Number.NaN, 1, 2, 34]);
  });
});
