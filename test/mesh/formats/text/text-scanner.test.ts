import should from 'should';
import { TextScanner } from '../../../../src/mesh/formats/text/text-scanner.js';

function createScanner(text: string, options = {}) {
  return new TextScanner(Buffer.from(text, 'latin1'), options);
}

function readNumbers(text: string, count: number, options = {}): number[] {
  const target = new Float64Array(count);
  createScanner(text, options).takeNumbers(target);
  return [...target];
}

describe('TextScanner', () => {
  it('reads numbers of every form like Number', () => {
    const words = '0 -0 1 -12.5 .5 5. +3 1e5 1E+05 -1.23456789E+01 2.5e-07 1e-300 1e300 3e22 1e-23'.split(' ');
    words.push('0.30000000000000004', '9007199254740993', '123456789012345678901234567890', '4.9e-324', '-1.5E-9');
    should(readNumbers(words.join(' '), words.length)).deepEqual(words.map(Number));
  });

  it('accepts a comma as the decimal point', () => {
    should(readNumbers('1,5 -2,25e1', 2)).deepEqual([1.5, -22.5]);
  });

  it('returns NaN for a word that is not a number, and continues after it', () => {
    should(readNumbers('- . 12abc 1e 1e+ nan 0x10 1.2.3 7', 9)).deepEqual([...Array(8).fill(Number.NaN), 7]);
  });

  it('returns NaN for missing words and stays on the line', () => {
    const scanner = createScanner('1\t2  \r\n3');
    const target = new Float64Array(3);
    scanner.takeNumbers(target);
    should([...target]).deepEqual([1, 2, Number.NaN]);
    scanner.skipLine();
    should(scanner.takeNumber()).equal(3);
  });

  it('handles comments and continued lines between numbers', () => {
    should(readNumbers('1 \\\n2 # 3', 3, { hasComments: true, hasContinuations: true })).deepEqual([1, 2, Number.NaN]);
  });

  it('returns the first letter of a word in lower case', () => {
    const scanner = createScanner('  \n Vertex');
    should(scanner.seekWord()).be.true();
    should(scanner.initial).equal('v'.charCodeAt(0));
    should(scanner.acceptWord('vertex')).be.true();
  });
});
