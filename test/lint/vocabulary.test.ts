import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import 'should';

const run = promisify(execFile);
const program = path.resolve('scripts/check-vocabulary.mjs');

describe('the vocabulary check', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'vocabulary-'));
    await mkdir(path.join(folder, 'nodes'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const check = async (file: string, code: string): Promise<string> => {
    await writeFile(path.join(folder, 'nodes', file), code);
    return run(process.execPath, [program, folder]).then(
      () => 'accepted',
      (error: { stderr: string }) => error.stderr,
    );
  };

  it('reports a retired name with its line and its replacement', async () => {
    const report = await check('mistake.ts', 'const text = `\n\n`;\nexport const whyNoBody = text;\n');
    report.should.startWith('nodes/mistake.ts:4: whyNoBody is retired: use ');
  });

  it('reports a retired private member', async () => {
    (await check('mistake.ts', 'class A { #whyNoBody = 1; }\n')).should.containEql('nodes/mistake.ts:1: #whyNoBody');
  });

  it('reports a retired name in a script of a page, with the line of the page', async () => {
    const page = '<p>whyNoBody</p>\n<script type="text/javascript">\nwhyNoBody();\n</script>\n';
    (await check('mistake.html', page)).should.startWith('nodes/mistake.html:3: whyNoBody');
  });

  it('accepts a retired name in a comment, a string or a text', async () => {
    (await check('comment.ts', "// whyNoBody\nexport const text = 'whyNoBody';\n")).should.equal('accepted');
    (await check('text.html', '<p>whyNoBody</p>\n')).should.equal('accepted');
  });
});
