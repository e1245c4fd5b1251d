import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { SERVE_USAGE } from '../../src/service/command-line/serve-usage.js';

const PAGES_AT_THE_ROOT = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

async function listPages(): Promise<string[]> {
  const names = await readdir('docs', { recursive: true });
  return [...PAGES_AT_THE_ROOT, ...names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
}

/** Returns the text of a page without code, in which brackets are no links and `#` begins a comment. */
function removeCode(page: string): string {
  return page.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));
}

/** Returns the anchors of a page as GitHub creates them, from its headings. */
function findAnchors(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of removeCode(page).matchAll(/^#+ (.+)$/gm)) {
    const text = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
    const anchor = text.trim().replace(/\s/g, '-');
    for (let count = 0; ; count++) {
      const name = count === 0 ? anchor : `${anchor}-${count}`;
      if (anchors.has(name)) continue;
      anchors.add(name);
      break;
    }
  }
  return anchors;
}

/** Returns whether a relative link leads to a file or folder, and to a heading of it if it names one. */
async function resolves(page: string, link: string): Promise<boolean> {
  const [file = '', anchor] = decodeURI(link).split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  const names = await readdir(path.dirname(target)).catch((): string[] => []);
  if (!names.includes(path.basename(target))) return false;
  return anchor === undefined || findAnchors(await readFile(target, 'utf8')).has(anchor);
}

/** Returns the number of words of a page: everything between spaces that has a letter or a digit. */
async function countWords(page: string): Promise<number> {
  const text = await readFile(page, 'utf8');
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

describe('the documentation', () => {
  it('has only relative links that lead to a file and, if they name one, to a heading', async () => {
    const wrong: string[] = [];
    for (const page of await listPages()) {
      const links = removeCode(await readFile(page, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g);
      for (const [, link = ''] of links) {
        if (!/^[a-z]+:/.test(link) && !(await resolves(page, link))) wrong.push(`${page}: ${link}`);
      }
    }
    should(wrong).be.empty();
  });

  it('has an index that names every page but the decisions', async () => {
    const index = await readFile('docs/README.md', 'utf8');
    const pages = (await listPages()).map((page) => path.relative('docs', page));
    const missing = pages.filter((page) => !page.startsWith('decisions/') && !index.includes(`](${page})`));
    should(missing.filter((page) => page !== 'README.md')).be.empty();
  });

  it('introduces the package and its architecture in at most 1,500 words each', async () => {
    (await countWords('README.md')).should.be.belowOrEqual(1500);
    (await countWords('docs/architecture.md')).should.be.belowOrEqual(1500);
  });

  it('has each option of a service on one machine in docs/operating', async () => {
    const [usage = ''] = SERVE_USAGE.split('On many machines');
    const options = [...usage.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
    options.length.should.be.above(20);
    const rows = (await readFile('docs/operating/README.md', 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith('| `--'));
    should(options.filter((option) => !rows.some((row) => row.includes(`\`${option}\``)))).be.empty();
  });
});
