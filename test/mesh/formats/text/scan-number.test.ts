import fc from 'fast-check';
import should from 'should';
import { scanNumber } from '../../../../src/mesh/formats/text/scan-number.js';

/** What it reads of a text that begins with a number, and where it ends. */
function scan(text: string, start = 0): { value: number; end: number } {
  const bytes = Buffer.from(text, 'latin1');
  const into = new Float64Array(1);
  const end = scanNumber(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), start, into, 0);
  return { value: into[0] ?? Number.NaN, end };
}

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
/** Numbers as programs write them: printed from doubles, and any row of digits. */
const numberTexts = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.nat(12)).map(([value, k]) => value.toFixed(k)),
  fc.tuple(fc.float({ noNaN: true, noDefaultInfinity: true }), fc.nat(12)).map(([value, k]) => cExponent(value, k)),
  fc
    .tuple(fc.constantFrom('', '-'), digits(12), digits(12), fc.constantFrom('', 'e+05', 'E-07', 'e-22', 'E+30'))
    .map(([sign, whole, part, exponent]) => `${sign}${whole}.${part}${exponent}`),
);
/** As printf writes it with %e: an exponent of two digits and its sign. */
const cExponent = (value: number, k: number): string => value.toExponential(k).replace(/e([+-])(\d)$/, 'e$10$2');

describe('scanNumber', () => {
  it('reads the usual forms to the last bit as Number does, and says where they end', () => {
    fc.assert(
      fc.property(numberTexts, fc.constantFrom('', ' ', '"/>', '\n1', 'x'), (text, rest) => {
        const { value, end } = scan(` ${text}${rest}`, 1);
        if (end < 0) return;
        // Behind two digits of an exponent it stops.
        const known = text.replace(/(e[+-]\d\d)\d$/, '$1');
        should(end).equal(1 + known.length);
        should(Object.is(value, Number(known))).be.true();
      }),
      { numRuns: 3000 },
    );
  });

  it('reads what fifteen digits and an exponent of two say, and leaves what is more to others', () => {
    const read = '0 -0 7 -12.5 0.222031 50.039432 123456789.123456 1.00000000E+00 -2.5e-07 5. 999999999999999 1e+22';
    for (const text of read.split(' ')) {
      should(scan(`${text} `)).deepEqual({ value: Number(text), end: text.length });
    }
    const others = ['', 'x', '-', '+1', '.5', '1e5', '1e+5', '1e', '1e+400', '1e+23', '12345678901234567', '1e-40'];
    for (const text of others) should(scan(text).end).equal(-1);
  });
});
