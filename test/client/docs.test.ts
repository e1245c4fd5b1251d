import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import should from 'should';
import { CLIENT_DEFAULTS } from '../../src/client/index.js';
import { FakeService } from '../helpers/fake-service.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(path.join(ROOT, 'docs/client.md'), 'utf8');

describe('docs/faults.md', () => {
  it('names existing test files only', () => {
    const page = readFileSync(path.join(ROOT, 'docs/faults.md'), 'utf8');
    const tables = page.split('\n\n').filter((block) => block.includes('| tested in |\n'));
    const names = [...tables.join('\n').matchAll(/^\|.*\| ([\w/, -]+) \|$/gm)].flatMap(([, files = '']) =>
      files.split(', '),
    );
    names.length.should.be.above(40);
    for (const name of names.filter((file) => file !== 'tested in' && !/^-+$/.test(file)))
      existsSync(path.join(ROOT, `test/${name}.test.ts`)).should.be.true(name);
  });
});

describe('docs/client.md', () => {
  it('shows a program that repairs and downloads a model', async () => {
    const program = /```js\n([\s\S]+?)```/.exec(PAGE)?.[1] ?? '';
    const service = await FakeService.start();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'client-docs-test-'));
    try {
      const credentials = path.join(folder, 'credentials.json');
      const model = path.join(folder, 'broken.stl');
      writeFileSync(credentials, JSON.stringify(service.account));
      writeFileSync(model, 'solid\nendsolid\n');
      // The package imports itself by its own name, which resolves to dist. Only the output folder is replaced.
      const inFolder = program.replace("folder: '.'", `folder: ${JSON.stringify(folder)}`);
      inFolder.should.not.equal(program);
      const args = ['--input-type=module', '-e', inFolder, 'repair.mjs', credentials, model];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
      stdout.should.equal(`${path.join(folder, 'repaired.stl')}: 15 bytes\n`);
      readFileSync(path.join(folder, 'repaired.stl'), 'utf8').should.equal('solid\nendsolid\n');
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('names every limit with its default', () => {
    const documented = new Map<string, number>();
    for (const [, names = '', values = ''] of PAGE.matchAll(/^\| (`.*?`) \|.*\| ([\d, ]+) \|$/gm)) {
      const defaults = values.split(', ').map((value) => Number(value.replaceAll(',', '')));
      for (const [index, name] of names.split(', ').entries())
        documented.set(name.replaceAll('`', ''), defaults[index] ?? -1);
    }
    should(Object.fromEntries(documented)).eql({ ...CLIENT_DEFAULTS });
  });
});
