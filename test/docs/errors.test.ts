import { readFile } from 'node:fs/promises';
import should from 'should';

describe('docs/errors.md', () => {
  it('lists every error of a start', async () => {
    const source = await readFile('src/service/start-error.ts', 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code]) => `\`${code}\``);
    codes.length.should.be.above(15);
    const page = await readFile('docs/errors.md', 'utf8');
    should(codes.filter((code) => !page.includes(code))).be.empty();
  });

  it('lists every integer code of the service', async () => {
    const { PROBLEMS } = await import('../../src/service/problem-entries.js');
    const codes = Object.values(PROBLEMS).map(([status, number]) => status * 100 + number);
    const page = await readFile('docs/errors.md', 'utf8');
    should(codes.filter((code) => !page.includes(`| ${code} |`))).be.empty();
  });
});
