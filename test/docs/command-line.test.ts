import 'should';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { extractCommands } from './support/extract-commands.js';

const run = promisify(execFile);

describe('docs/command-line.md', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await createFolder();
    const program = path.join(folder, 'model-processing');
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${path.resolve('dist/src/cli.js')}" "$@"\n`);
    await chmod(program, 0o755);
    // The package as npm installs it.
    await mkdir(path.join(folder, 'node_modules/@model-processing'), { recursive: true });
    await symlink(path.resolve('.'), path.join(folder, 'node_modules/@model-processing/node-red'));
    await writeFile(path.join(folder, 'package.json'), '{}');
  });

  afterEach(() => removeFolder(folder));

  it('runs its commands as written', async () => {
    const script = extractCommands(await readFile('docs/command-line.md', 'utf8'));
    const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
    const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    stdout.should.match(/^models\/bracket\.stl: open: [\s\S]*size x mm +60\.0005\n/).and.match(/^not printable$/m);
    stdout.should.match(/bracket-copy\.stl: skipped, the output exists\n$/);
    stderr.should.match(/^2 files in [\d.]+ s: 2 solid$/m).and.match(/^2 files in [\d.]+ s: 2 skipped$/m);
    const files = await readdir(folder, { recursive: true });
    files.should.containDeep(['verdicts.jsonl', 'models.csv', 'bracket.3mf', 'bracket.obj']);
    files.should.containDeep(['repaired/bracket-repaired.stl', 'repaired/parts/bracket-copy-repaired.stl']);
    (await readFile(path.join(folder, 'bracket.obj'), 'utf8')).should.match(/^f /m);
  });
});
