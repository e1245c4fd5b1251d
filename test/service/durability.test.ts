import should from 'should';
import { eventually, findKernelProcesses, isRunning } from '../helpers/processes.js';
import { logIn } from './support/account.js';
import { useFolder } from './support/data-folder.js';
import { CUBE, sphere } from './support/models.js';
import { type Program, stopProgram, useServe } from './support/program.js';
import { copyTemplate } from './support/template-folder.js';
import { listTemporaryFiles } from './support/temporary-files.js';

// 600,000 triangles: the import takes long enough to be interrupted.
const LARGE = sphere(501, 600);

describe('a service that is killed', () => {
  let folder: string;
  const serve = useServe();
  const start = () => serve(folder, ['--memory', '2G', '--workers', '1']);

  useFolder((created) => (folder = created));

  beforeEach(() => copyTemplate(folder));

  const startImport = async (program: Program) => {
    const api = await logIn(folder);
    const { body } = await api.upload(LARGE, 'cubes.stl');
    const { operationId } = (await api.post('import', { fileId: body.fileId })).body;
    const kernel = await eventually('the kernel process runs', () => findKernelProcesses(program.pid)[0]);
    return { operationId, kernel };
  };

  it('completes an acknowledged operation after the next start, with a complete file', async () => {
    const first = await start();
    const { operationId, kernel } = await startImport(first);
    await stopProgram(first, 'SIGKILL');
    await eventually('the kernel process is gone', () => !isRunning(kernel.pid));

    await start();
    const api = await logIn(folder);
    (await api.untilCompleted(operationId)).body.should.match({ isSuccessful: true });
    const { body } = await api.get(`${operationId}/import/result`);
    body.report.after.triangles.should.equal(600_000);
    const exported = await api.run('export', { inputId: body.resultId, exportToFormat: 'stl' });
    const download = await api.get(`file/${exported.result.body.fileId}`);
    should(download.headers.get('content-length')).equal(String(LARGE.length));
    should(listTemporaryFiles(folder)).be.empty();
  });

  it('completes an operation after three crashes, and continues with the next one', async () => {
    let program = await start();
    const { operationId } = await startImport(program);
    for (let death = 1; death <= 3; death++) {
      await eventually('the kernel process runs', () => findKernelProcesses(program.pid)[0]);
      await stopProgram(program, 'SIGKILL');
      program = await start();
    }
    const api = await logIn(folder);
    (await api.untilCompleted(operationId)).body.should.match({ isSuccessful: true });
    const { body } = await api.upload(CUBE, 'cube.stl');
    (await api.run('import', { fileId: body.fileId })).result.status.should.equal(200);
  });

  it('exits with 0 on SIGTERM, and requeues its operations without counting an attempt', async () => {
    let program = await start();
    const { operationId, kernel } = await startImport(program);
    for (let stop = 1; stop <= 4; stop++) {
      should(await stopProgram(program)).equal(0);
      isRunning(kernel.pid).should.be.false();
      should(listTemporaryFiles(folder)).be.empty();
      program = await start();
      await eventually('the kernel process runs again', () => findKernelProcesses(program.pid)[0]);
    }
    const api = await logIn(folder);
    (await api.untilCompleted(operationId)).body.should.match({ isSuccessful: true });
  });
});
