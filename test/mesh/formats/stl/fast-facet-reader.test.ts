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
  .tuple(numbers(3), numbers(3), numbers(3), numbers(3))
  .map(([normal, a, b, c]) => [
    `facet normal ${normal}`,
    'outer loop',
    `vertex ${a}`,
    `vertex ${b}`,
    `vertex ${c}`,
    'endloop',
    'endfacet',
  ]);
/** A facet that lacks a line, or has one too many. */
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
      'x',
    ),
  )
  .map(([words, offset, dropped, more]) => words.toSpliced(offset, dropped, more));
const documents = fc
  .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: facetWords }, { weight: 1, arbitrary: oddFacetWords }), gap), {
    maxLength: 8,
  })
  .map((facets) => `solid a\n${facets.map(([words, space]) => words.join(space)).join('\n')}\nendsolid a\n`);

describe('facets written as usual', () => {
  it('are what the words make of them one by one, however a file is written', () => {
    let triangles = 0;
    fc.assert(
      fc.property(documents, fc.nat(40), (text, cut) => {
        const whole = cut < 20 ? text : text.slice(0, text.length - cut);
        const read = parseStlAscii(Buffer.from(whole));
        // In capitals they are not written as usual. Only the names differ.
        const { mesh, warnings } = parseStlAscii(Buffer.from(whole.toUpperCase()));
        const objects = mesh.objects?.map((object) => ({ ...object, name: object.name.toLowerCase() }));
        should(read).deepEqual({ mesh: objects ? { ...mesh, objects } : mesh, warnings });
        triangles += mesh.triangles.length / 3;
      }),
      { numRuns: 2000 },
    );
    should(triangles).be.above(1000);
  });

  it('are taken whole, or not at all', () => {
    const facet = 'facet normal 0 0 1\n outer loop\n vertex 1 2 3\n vertex 4 5 6\n vertex 7 8 9\n endloop\nendfacet\n';
    const taken = (text: string) => {
      const scanner = new TextScanner(Buffer.from(text));
      const facets = new FastFacetReader(scanner);
      return { isTaken: facets.tryRead(), at: scanner.position, corners: [...facets.corners] };
    };
    const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    should(taken(`endfacet ${facet}`)).deepEqual({ isTaken: true, at: 9 + facet.indexOf('\nendfacet'), corners: nine });
    const odd = [
      facet.toUpperCase(),
      facet.replace('outer', ''),
      facet.replace('endloop', 'vertex 1 2 3'),
      facet.replace('0 0 1', '0 vertex 1'),
    ];
    for (const text of [...odd, '', 'facet', 'endsolid']) should(taken(text)).containEql({ isTaken: false, at: 0 });
  });
});
