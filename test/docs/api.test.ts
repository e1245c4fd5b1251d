import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import should from 'should';
import { findFreePort } from '../helpers/node-red-process.js';
import { extractCommands } from './support/extract-commands.js';

const run = promisify(execFile);

describe('docs/api.md', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'docs-'));
    const program = path.join(folder, 'model-processing');
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${path.resolve('dist/src/cli.js')}" "$@"\n`);
    await chmod(program, 0o755);
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('repairs a model with its curl commands as written', async () => {
    const commands = extractCommands(await readFile('docs/api.md', 'utf8'));
    commands.should.match(/--port 8484/);
    const script = commands.replace('--port 8484', `--port ${await findFreePort()}`);
    const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    should(JSON.parse(stdout).verdict.level).equal('solid');
    const file = await readFile(path.join(folder, 'closed-box.stl'));
    file.length.should.equal(84 + 50 * file.readUInt32LE(80));
  });
});
