import should from 'should';
import { TextScanner } from '../../../../src/mesh/formats/text/text-scanner.js';

const scannerOf = (text: string, options = {}) => new TextScanner(Buffer.from(text, 'latin1'), options);

const numbersOf = (text: string, count: number, options = {}): number[] => {
  const into = new Float64Array(count);
  scannerOf(text, options).takeNumbers(into);
  return [...into];
};

describe('TextScanner', () => {
  it('reads numbers of every form as Number does', () => {
    const words = '0 -0 1 -12.5 .5 5. +3 1e5 1E+05 -1.23456789E+01 2.5e-07 1e-300 1e300 3e22 1e-23'.split(' ');
    words.push('0.30000000000000004', '9007199254740993', '123456789012345678901234567890', '4.9e-324', '-1.5E-9');
    should(numbersOf(words.join(' '), words.length)).deepEqual(words.map(Number));
  });

  it('takes a comma for the decimal point', () => {
    should(numbersOf('1,5 -2,25e1', 2)).deepEqual([1.5, -22.5]);
  });

  it('answers NaN for a word that is no number, and goes on behind it', () => {
    should(numbersOf('- . 12abc 1e 1e+ nan 0x10 1.2.3 7', 9)).deepEqual([...Array(8).fill(Number.NaN), 7]);
  });

  it('answers NaN behind the end of a line, and stays there', () => {
    const scanner = scannerOf('1\t2  \r\n3');
    const into = new Float64Array(3);
    scanner.takeNumbers(into);
    should([...into]).deepEqual([1, 2, Number.NaN]);
    scanner.skipLine();
    should(scanner.takeNumber()).equal(3);
  });

  it('minds comments and continued lines among numbers', () => {
    should(numbersOf('1 \\\n2 # 3', 3, { hasComments: true, hasContinuations: true })).deepEqual([1, 2, Number.NaN]);
  });

  it('tells the first letter of a word whatever its case', () => {
    const scanner = scannerOf('  \n Vertex');
    should(scanner.seekWord()).be.true();
    should(scanner.initial).equal('v'.charCodeAt(0));
    should(scanner.acceptWord('vertex')).be.true();
  });
});
