import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { eventually, findDescendants, isRunning } from '../helpers/processes.js';
import { LIBRARY_FILES } from '../mesh/formats/files/library-files.js';
import { logIn } from '../service/support/account.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { OPEN_CUBE, sphere } from '../service/support/models.js';
import { CLI, type StartedProgram, startServe, stopProgram, untilStarted } from '../service/support/program.js';

const OTHER_USER = 65_534;

/** Returns the processes of bubblewrap, and those in the sandboxes, of a service. */
function findSandboxed(pid: number) {
  return findDescendants(pid).filter(({ command }) => command.includes('/kernel/program/kernel-process.js'));
}

/** Starts `serve --sandbox on` as a user without rights. */
async function serveAsOther(folder: string): Promise<StartedProgram> {
  await chown(folder, OTHER_USER, OTHER_USER);
  const args = [CLI, 'serve', '--port', '0', '--data', folder, '--sandbox', 'on'];
  const child = spawn(process.execPath, args, { stdio: 'pipe', uid: OTHER_USER, gid: OTHER_USER });
  const lines: string[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (status, signal) => resolve(signal ?? status));
  });
  return untilStarted({ child, pid: child.pid ?? 0, lines, errors: () => errors, ended });
}

describe('serve --sandbox on', () => {
  let folder: string;
  let program: StartedProgram;

  beforeEach(async () => {
    folder = await createFolder();
  });

  afterEach(async () => {
    await stopProgram(program, 'SIGKILL');
    await removeFolder(folder);
  });

  const runAll = async (): Promise<void> => {
    const api = await logIn(folder);
    const inputId = await api.importModel(OPEN_CUBE, 'cube.stl');
    const { result } = await api.run('repair', { inputId });
    should(result.body.report.verdict.level).equal('solid');
    const repaired = { inputId: result.body.resultId };
    const exported = await api.run('export', { ...repaired, exportToFormat: '3mf' });
    should((await api.get(`file/${exported.result.body.fileId}`)).status).equal(200);
    for (const [operation, body] of [
      ['thumbnail', { ...repaired, width: 64, height: 64, cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: 0 }],
      ['preview', repaired],
      ['analyze', repaired],
    ] as const) {
      should((await api.run(operation, body)).status.body).match({ isSuccessful: true }, operation);
    }
    findSandboxed(program.pid).length.should.be.above(0);
  };

  it('runs a whole flow in sandboxes', async () => {
    program = await startServe(folder, ['--sandbox', 'on']);
    await runAll();
    program.errors().should.match(/Kernel processes run in a sandbox/);
  });

  it('runs a whole flow in sandboxes as a user without rights', async () => {
    program = await serveAsOther(folder);
    await runAll();
  });

  it('reads all formats of libraries', async () => {
    program = await startServe(folder, ['--sandbox', 'on']);
    const api = await logIn(folder);
    for (const [name, make] of Object.entries(LIBRARY_FILES)) {
      const { fileId } = (await api.upload(await make(), name)).body;
      should((await api.run('import', { fileId })).status.body).match({ isSuccessful: true }, name);
    }
  });

  it('repairs a large model with two threads', async () => {
    program = await startServe(folder, ['--sandbox', 'on', '--workers', '1']);
    const api = await logIn(folder);
    const inputId = await api.importModel(sphere(300, 300), 'sphere.stl');
    should((await api.run('repair', { inputId })).status.body).match({ isSuccessful: true });
  });

  it('leaves no process when it stops, and no folder', async () => {
    program = await startServe(folder, ['--sandbox', 'on']);
    await (await logIn(folder)).importModel(OPEN_CUBE, 'cube.stl');
    const processes = await eventually('a process waits', () => {
      const found = findSandboxed(program.pid);
      return found.length > 0 ? found : undefined;
    });
    should(await stopProgram(program)).equal(0);
    processes.filter(({ pid }) => isRunning(pid)).should.deepEqual([]);
    readdirSync(path.join(folder, 'temp')).should.deepEqual([]);
  });

  for (const state of ['waits', 'is suspended']) {
    it(`leaves no kernel process that ${state} when it is killed, and no folder after the next start`, async () => {
      program = await startServe(folder, ['--sandbox', 'on']);
      await (await logIn(folder)).importModel(OPEN_CUBE, 'cube.stl');
      const processes = await eventually('a process waits', () => {
        const found = findSandboxed(program.pid);
        return found.length > 0 ? found : undefined;
      });
      if (state === 'is suspended') for (const { pid } of processes) process.kill(pid, 'SIGSTOP');
      await stopProgram(program, 'SIGKILL');
      await eventually('none is left', () => !processes.some(({ pid }) => isRunning(pid)));
      program = await startServe(folder, ['--sandbox', 'on']);
      readdirSync(path.join(folder, 'temp')).should.deepEqual([]);
    });
  }
});
