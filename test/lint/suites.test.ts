import { readFileSync } from 'node:fs';
import { globSync } from 'glob';
import should from 'should';

interface Run {
  files?: string[];
  command?: string[];
}

interface Suite {
  name: string;
  runs: Run[];
}

interface Count {
  name: string;
  file: string;
  test?: number;
}

/** How a test file shows that it needs Linux. */
const NEEDS_LINUX =
  /\/proc\/|\bfind(?:Descendants|ServiceProcess|KernelProcesses)\b|\bsymlink(?:Sync)?\(|\bchmod(?:Sync)?\(/;

async function readModule(name: string): Promise<Record<string, unknown>> {
  return import(new URL(`../../scripts/${name}.mjs`, import.meta.url).href);
}

describe('the table of suites', () => {
  let suites: Suite[];
  let counts: Count[];
  let linuxTests: string[];
  const texts = new Map(
    globSync('test/**/*.test.ts', { posix: true }).map((file) => [file, readFileSync(file, 'utf8')]),
  );

  before(async () => {
    const table = await readModule('suites');
    [suites, counts, linuxTests] = [table.SUITES, table.COUNTS, table.LINUX_TESTS] as [Suite[], Count[], string[]];
  });

  it('has every test file in a suite', () => {
    const patterns = suites.flatMap(({ runs }) => runs.flatMap(({ files }) => files ?? []));
    const inSuites = new Set(globSync(patterns, { posix: true }));
    [...texts.keys()].filter((file) => !inSuites.has(file)).should.deepEqual([]);
  });

  it('has no pattern without a file', () => {
    const patterns = suites.flatMap(({ runs }) => runs.flatMap(({ files }) => files ?? []));
    patterns.filter((pattern) => globSync(pattern).length === 0).should.deepEqual([]);
  });

  it('has a program for each part that is not a test file', () => {
    const programs = counts.filter(({ test }) => test === undefined);
    programs.length.should.be.above(0);
    for (const { file, name } of programs) readFileSync(file, 'utf8').should.containEql(name.replace('--', ''));
  });

  it('has each count that a test file reads, and no other', () => {
    for (const [file, text] of texts) {
      const calls = text.includes('helpers/counts.js') ? text.matchAll(/\bcountOf\('([^']+)'\)/g) : [];
      const read = [...calls].map(([, name]) => name);
      const listed = counts.filter((each) => each.file === file).map(({ name }) => name);
      should(new Set(read)).deepEqual(new Set(listed), file);
    }
  });

  it('leaves test files out on other systems that need Linux', () => {
    const node = new Set(globSync(suites[0]?.runs[0]?.files ?? [], { posix: true }));
    const unlisted = [...node].filter((file) => NEEDS_LINUX.test(texts.get(file) ?? '') && !linuxTests.includes(file));
    unlisted.should.deepEqual([]);
    linuxTests.filter((file) => !node.has(file)).should.deepEqual([]);
  });

  it('is the table of CONTRIBUTING.md: `npm run generate` renews it', async () => {
    const { updateTables } = await readModule('suite-tables');
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    should(updateTables).be.a.Function();
    if (typeof updateTables === 'function') should(updateTables(text)).equal(text);
    text.match(/^\| `(?:npm run (?:suite|soak)|\.ci\/run)/gm)?.length.should.be.within(10, 25);
  });
});
