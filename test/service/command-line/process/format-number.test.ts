import should from 'should';
import { formatNumber } from '../../../../src/service/command-line/process/format-number.js';

describe('formatNumber', () => {
  for (const [value, text] of [
    [0, '0'],
    [3, '3'],
    [12.5, '12.5'],
    [0.1 + 0.2, '0.3'],
    [0.000_243_891_23, '0.000243891'],
    [-34_567.891_2, '-34567.9'],
    [999_999.96, '1000000'],
    [12_345_678.9, '12345679'],
  ] as const) {
    it(`formats ${value} as ${text}`, () => {
      should(formatNumber(value)).equal(text);
    });
  }
});
