import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { openSandbox, type SandboxMode } from '../../../../src/service/kernel/sandbox/open-sandbox.js';
import { logIn } from '../../support/account.js';
import { CUBE } from '../../support/models.js';
import { runProgram, startServe, stopProgram } from '../../support/program.js';
import { KERNEL_PROGRAM } from '../../support/running.js';

const REFUSED = 'bwrap: setting up uid map: Permission denied';

describe('openSandbox', () => {
  const { PATH } = process.env;
  let folder: string;
  let programs: string;
  let lines: { details: object; message: string }[];

  /** Adds a program to the only folder in PATH. */
  const addProgram = async (name: string, script: string): Promise<void> => {
    await writeFile(path.join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(programs, name), 0o755);
  };
  const open = (mode: SandboxMode) =>
    openSandbox({
      mode,
      program: KERNEL_PROGRAM,
      createPath: () => path.join(folder, 'kernel'),
      logger: { info: (details, message) => lines.push({ details, message }) },
    });

  beforeEach(async () => {
    lines = [];
    folder = await mkdtemp(path.join(os.tmpdir(), 'open-sandbox-'));
    programs = await mkdtemp(path.join(os.tmpdir(), 'programs-'));
    await addProgram('nice', 'shift 2; exec "$@"');
    process.env.PATH = programs;
  });

  afterEach(async () => {
    process.env.PATH = PATH;
    for (const each of [folder, programs]) await rm(each, { recursive: true });
  });

  it('returns none with off, and logs it', async () => {
    should(await open('off')).be.undefined();
    lines.should.match([{ message: /without a sandbox: --sandbox is off/ }]);
  });

  it('returns none with auto if bubblewrap is not installed, and logs the reason', async () => {
    should(await open('auto')).be.undefined();
    const reason = 'the program bwrap is not in PATH';
    lines.should.match([{ details: { reason, remedy: /Install/ }, message: /without a sandbox/ }]);
  });

  it('throws with on if bubblewrap is not installed', async () => {
    await open('on').should.be.rejectedWith({
      code: 'SANDBOX_UNAVAILABLE',
      message:
        'No sandbox for operations: the program bwrap is not in PATH. Install the package bubblewrap, or set --sandbox to auto.',
    });
  });

  it('returns none with auto if the system refuses a sandbox, and logs what bubblewrap says', async () => {
    await addProgram('bwrap', `echo '${REFUSED}' >&2; exit 1`);
    should(await open('auto')).be.undefined();
    lines.should.match([{ details: { reason: REFUSED, remedy: /user namespaces/ } }]);
  });

  it('throws with on if the system refuses a sandbox', async () => {
    await addProgram('bwrap', `echo '${REFUSED}' >&2; exit 1`);
    await open('on').should.be.rejectedWith({ code: 'SANDBOX_UNAVAILABLE', message: new RegExp(REFUSED) });
  });

  it('returns none with auto if bubblewrap is killed without a word', async () => {
    await addProgram('bwrap', 'kill -9 $$');
    should(await open('auto')).be.undefined();
    lines.should.match([{ details: { reason: /Command failed/ } }]);
  });

  it('lets serve run operations without a sandbox, and serve --sandbox on fail with exit status 1', async () => {
    const data = path.join(folder, 'data');
    const service = await startServe(data, [], { PATH: programs });
    try {
      await (await logIn(data)).importModel(CUBE, 'cube.stl');
      service.errors().should.match(/"reason":"the program bwrap is not in PATH"/);
    } finally {
      await stopProgram(service);
    }
    const { status, errors } = await runProgram(['serve', '--data', data, '--sandbox', 'on'], { PATH: programs });
    should(status).equal(1);
    errors
      .trim()
      .split('\n')
      .at(-1)
      ?.should.match(/No sandbox for operations.*Install the package bubblewrap/);
  });

  it('lets serve refuse other values', async () => {
    const { status, errors } = await runProgram(['serve', '--data', folder, '--sandbox', 'yes']);
    should(status).equal(2);
    errors.should.match(/Invalid --sandbox "yes": expected auto, on or off\./);
  });
});
