import fc from 'fast-check';
import should from 'should';
import { XmlReader } from '../../../../src/mesh/formats/text/xml-reader.js';
import { XmlRow } from '../../../../src/mesh/formats/text/xml-row.js';
import { meshErrorOf } from '../mesh-error-of.js';

const VERTEX = new XmlRow('vertex', ['x', 'y', 'z']);
const NAMES = ['x', 'y', 'z'];

/** Returns the vertices and the other events of a document, or the message of the error. */
function read(text: string, hasRows: boolean): { events: string[]; rowCount: number } {
  const reader = new XmlReader(Buffer.from(text));
  const events: string[] = [];
  const row = new Float64Array(3);
  let rowCount = 0;
  try {
    for (;;) {
      for (; hasRows && reader.acceptRow(VERTEX, row); rowCount++)
        events.push(`v${row.join()}`, `close ${reader.depth}`);
      const event = reader.next();
      if (event === 'end') break;
      if (event === 'open' && reader.name === 'vertex') events.push(`v${NAMES.map((n) => reader.numberAttribute(n))}`);
      else events.push(`${event} ${event === 'open' ? reader.name : event === 'text' ? reader.text() : reader.depth}`);
    }
  } catch (error) {
    events.push(
      meshErrorOf(() => {
        throw error;
      }).message,
    );
  }
  return { events: [...events, `end ${reader.depth}`], rowCount };
}

const value = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -1e3, max: 1e3, noNaN: true }).map((number) => number.toFixed(4)) },
  { weight: 2, arbitrary: fc.integer().map(String) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', ' 1 ', '1,5', '+2', 'nan', '1e5', '1.5E-07', '&#49;', '1x', '-', '0x1', '-0'),
  },
  { weight: 1, arbitrary: fc.double().map(String) },
);
function attribute(name: string) {
  return fc
    .tuple(value, fc.oneof({ weight: 9, arbitrary: fc.constant('"') }, fc.constant("'")))
    .map(([number, quote]) => `${name}=${quote}${number}${quote}`);
}
const attributes = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(...NAMES.map(attribute)) },
  {
    weight: 2,
    arbitrary: fc
      .shuffledSubarray([...NAMES, 'x', 'pid', 'p1'], { minLength: 1 })
      .chain((names) => fc.tuple(...names.map(attribute))),
  },
);
const oddRows = fc
  .tuple(
    attributes,
    fc.constantFrom('vertex', 'vertex', 'v:vertex', 'vertices', 'vert'),
    fc.constantFrom(' ', ' ', '  ', '\n'),
    fc.constantFrom('/>', ' />', '></vertex>', '>', '>text</vertex>', '  />', '/ >', ''),
  )
  .map(([parts, name, space, end]) => `<${name}${space}${parts.join(space)}${end}`);
const plainRows = fc.tuple(value, value, value).map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`);
const rows = fc.oneof({ weight: 5, arbitrary: plainRows }, { weight: 2, arbitrary: oddRows });
const between = fc.constantFrom(
  '',
  '\n',
  '\n  ',
  '\r\n\t',
  '<!-- <vertex x="1" y="2" z="3"/> -->',
  'text',
  '<?p?>',
  '</a>',
);
const documents = fc
  .array(fc.tuple(rows, between), { maxLength: 6 })
  .map((parts) => `<a>${parts.map(([row, space]) => row + space).join('')}</a>`);

describe('XmlRow', () => {
  it('reads the same values as the element reader for any document', () => {
    let rowCount = 0;
    fc.assert(
      fc.property(documents, fc.nat(3), (text, cut) => {
        const whole = text.slice(0, text.length - cut);
        const byRows = read(whole, true);
        rowCount += byRows.rowCount;
        should(byRows.events).deepEqual(read(whole, false).events);
      }),
      { numRuns: 3000 },
    );
    should(rowCount).be.above(500);
  });

  it('accepts the common form only', () => {
    const isAccepted = (text: string) => read(text, true).rowCount === 1;
    for (const text of ['<vertex x="1" y="-2.5" z="3e-05"/>', '\n\t<vertex x="1" y="2" z="3" />'])
      should(isAccepted(text)).be.true();
    for (const text of [
      "<vertex x='1' y='2' z='3'/>",
      '<vertex y="1" x="2" z="3"/>',
      '<vertex x="1" y="2" z="3" pid="1"/>',
      '<vertex x="1" y="2" z="3"></vertex>',
      '<vertexes x="1" y="2" z="3"/>',
      '<vertex x="1" y="2" z="3"',
    ])
      should(isAccepted(text)).be.false();
  });

  it('is limited to the same depth as elements', () => {
    const row = '<vertex x="1" y="2" z="3"/>';
    for (const depth of [199, 200]) {
      const text = '<a>'.repeat(depth) + row;
      should(read(text, true).events).deepEqual(read(text, false).events);
    }
  });
});
