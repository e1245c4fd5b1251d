import fc from 'fast-check';
import should from 'should';
import { scanNumber } from '../../../../src/mesh/formats/text/scan-number.js';

/** Returns the value and the end of the number at `start`. */
function scan(text: string, start = 0): { value: number; end: number } {
  const bytes = Buffer.from(text, 'latin1');
  const target = new Float64Array(1);
  const end = scanNumber(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), start, target, 0);
  return { value: target[0] ?? Number.NaN, end };
}

function digits(max: number) {
  return fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
}
/** Numbers as printed by programs from doubles, and arbitrary sequences of digits. */
const numberTexts = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.nat(12)).map(([value, k]) => value.toFixed(k)),
  fc.tuple(fc.float({ noNaN: true, noDefaultInfinity: true }), fc.nat(12)).map(([value, k]) => cExponent(value, k)),
  fc
    .tuple(fc.constantFrom('', '-'), digits(12), digits(12), fc.constantFrom('', 'e+05', 'E-07', 'e-22', 'E+30'))
    .map(([sign, whole, part, exponent]) => `${sign}${whole}.${part}${exponent}`),
);
/** Formats a number like %e of printf: an exponent with a sign and at least two digits. */
function cExponent(value: number, k: number): string {
  return value.toExponential(k).replace(/e([+-])(\d)$/, 'e$10$2');
}

describe('scanNumber', () => {
  it('reads the common forms bit for bit like Number and returns where they end', () => {
    fc.assert(
      fc.property(numberTexts, fc.constantFrom('', ' ', '"/>', '\n1', 'x'), (text, rest) => {
        const { value, end } = scan(` ${text}${rest}`, 1);
        if (end < 0) return;
        // It stops after two digits of an exponent.
        const readPart = text.replace(/(e[+-]\d\d)\d$/, '$1');
        should(end).equal(1 + readPart.length);
        should(Object.is(value, Number(readPart))).be.true();
      }),
      { numRuns: 3000 },
    );
  });

  it('reads up to fifteen digits with a two-digit exponent, and returns -1 for other forms', () => {
    const read = '0 -0 7 -12.5 0.222031 50.039432 123456789.123456 1.00000000E+00 -2.5e-07 5. 999999999999999 1e+22';
    for (const text of read.split(' ')) {
      should(scan(`${text} `)).deepEqual({ value: Number(text), end: text.length });
    }
    const others = ['', 'x', '-', '+1', '.5', '1e5', '1e+5', '1e', '1e+400', '1e+23', '12345678901234567', '1e-40'];
    for (const text of others) should(scan(text).end).equal(-1);
  });
});
