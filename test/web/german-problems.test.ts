import should from 'should';
import { PROBLEMS } from '../../src/service/problem-entries.js';
import { GERMAN_ERRORS } from '../../src/web/texts/german-problems.js';

describe('The German texts of the page', () => {
  it('has a text for every error of the service', () => {
    const codes = Object.values(PROBLEMS).map(([status, number]) => String(status * 100 + number));
    should(codes.filter((code) => GERMAN_ERRORS[code] === undefined)).deepEqual([]);
    const known = new Set([...codes, 'connection']);
    should(Object.keys(GERMAN_ERRORS).filter((code) => !known.has(code))).deepEqual([]);
  });
});
