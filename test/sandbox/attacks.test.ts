import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner } from '../../src/service/kernel/kernel-runner.js';
import { WarmKernelPool } from '../../src/service/kernel/warm-kernel-pool.js';
import { eventually, findDescendants, isRunning } from '../helpers/processes.js';
import { openTestSandbox } from './support/open-test-sandbox.js';

const PROGRAM = path.resolve('test/sandbox/kernels/attacks.mjs');
/** Returns the process and those of bubblewrap around it. */
function findKernels() {
  return findDescendants(process.pid).filter(({ command }) => command.includes('attacks.mjs'));
}

const never = new AbortController().signal;

describe('An attacker in a kernel process in a sandbox', () => {
  let data: string;
  let blob: string;
  let pool: WarmKernelPool;
  let attack: (name: string, target?: string | number, outputPath?: string) => Promise<unknown>;

  beforeEach(async () => {
    data = await mkdtemp(path.join(os.tmpdir(), 'sandbox-'));
    blob = path.join(data, 'blobs/ab/own');
    await mkdir(path.join(data, 'temp'));
    await mkdir(path.dirname(blob), { recursive: true });
    await writeFile(blob, 'own model');
    await writeFile(path.join(data, 'blobs/ab/other'), 'model of another user');
    await writeFile(path.join(data, 'service.db'), 'database');
    const sandbox = await openTestSandbox(PROGRAM, path.join(data, 'temp'));
    const kernel = { program: PROGRAM, memoryBytes: 512 * 1024 ** 2, sandbox };
    const reuse = { count: 1, idleTimeoutMs: 600_000, maxJobs: 100, maxResidentBytes: 1024 ** 3 };
    pool = new WarmKernelPool({ ...kernel, reuse });
    const run = createKernelRunner({ ...kernel, timeoutMs: 60_000, warmPool: pool });
    attack = async (operation, target = '', outputPath = path.join(data, 'temp/output')) => {
      const job = { operation, inputPath: blob, filename: 'a.stl', parameters: { target }, outputPath };
      const outcome = await run(job, { signal: never, owner: 'ann' });
      const { fields } = outcome.result as { fields?: { outcome: unknown } };
      return fields?.outcome;
    };
  });

  afterEach('leaves no process and no folder behind', async () => {
    await pool.close();
    findKernels().should.deepEqual([]);
    readdirSync(path.join(data, 'temp')).should.deepEqual([]);
    await rm(data, { recursive: true });
  });

  it('reads its own input', async () => {
    should(await attack('read', '/job/in/model')).equal('own model');
  });

  it('reads no file of the machine, of another user or of the service', async () => {
    const targets = [
      '/etc/passwd',
      '/etc/hostname',
      '/root',
      os.homedir(),
      process.cwd(),
      '/usr/bin/env',
      '/tmp',
      '/sys',
    ];
    const own = [data, blob, path.join(data, 'blobs/ab/other'), path.join(data, 'service.db')];
    for (const target of [...targets, ...own, '/proc/1/root/etc/passwd', '/proc/self/cwd/../../../etc/passwd']) {
      should(await attack('read', target)).match(/^(ENOENT|EACCES)$/, target);
    }
    should(await attack('list', '/')).deepEqual(['bin', 'dev', 'job', 'kernel', 'lib', 'lib64', 'proc']);
    should(await attack('list', '/job/in')).deepEqual(['model']);
    should(await attack('list', '/bin')).deepEqual(['node']);
  });

  it('sees no other process and no environment variable', async () => {
    process.env.MODEL_PROCESSING_PASSWORD = 'secret';
    try {
      should(await attack('processes')).have.length(2); // bwrap and itself
      const environments = await attack('environments');
      should(JSON.stringify(environments)).not.match(/secret|HOME|node_modules/);
      for (const name of Object.keys((await attack('ownEnvironment')) as object)) {
        should(['LANG', 'LC_ALL', 'TZ', 'PWD', 'LD_LIBRARY_PATH']).containEql(name);
      }
      should(await attack('signal', process.pid)).equal('ESRCH');
      should(await attack('read', `/proc/${process.ppid}/environ`)).equal('ENOENT');
      should(await attack('read', `/proc/${process.pid}/environ`)).equal('ENOENT');
    } finally {
      delete process.env.MODEL_PROCESSING_PASSWORD;
    }
  });

  it('connects to no server of this machine or another one, nor to a socket of the file system', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    const socketPath = path.join(data, 'socket');
    const local = net.createServer().listen(socketPath);
    await Promise.all([once(server, 'listening'), once(local, 'listening')]);
    const { port } = server.address() as AddressInfo;
    try {
      should(await attack('connect', JSON.stringify({ port, host: '127.0.0.1' }))).equal('ECONNREFUSED');
      should(await attack('connect', JSON.stringify({ port: 53, host: '192.0.2.1' }))).equal('ENETUNREACH');
      should(await attack('connect', JSON.stringify({ path: socketPath }))).equal('ENOENT');
    } finally {
      server.close();
      local.close();
    }
  });

  it('writes to no file but its output', async () => {
    const targets = [
      '/x',
      '/job/x',
      '/job/in/x',
      '/dev/x',
      '/lib/x',
      '/bin/x',
      '/kernel/x',
      '/kernel/program/x',
      '/tmp/x',
    ];
    const own = [blob, path.join(data, 'service.db'), path.join(data, 'x'), '/proc/1/root/x', '/proc/1/cwd/../../x'];
    for (const target of [...targets, ...own]) {
      should(await attack('write', target)).match(/^(EROFS|ENOENT|EACCES|EPERM)$/, target);
    }
    const system = ['/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/proc/self/oom_score_adj', '/dev/kmsg'];
    for (const target of ['/bin/node', '/kernel/program/attacks.mjs', ...system]) {
      should(await attack('openForWriting', target)).match(/^(EROFS|EACCES|EPERM|ETXTBSY|ENOENT)$/, target);
    }
  });

  it('cannot alter its input, which is the stored file', async () => {
    for (const code of (await attack('alterInput')) as string[]) should(code).match(/^(EROFS|EXDEV|EPERM|EACCES)$/);
    readFileSync(blob, 'utf8').should.equal('own model');
  });

  it('has no rights and no shell', async () => {
    should(await attack('identity')).deepEqual(['CapEff:\t0000000000000000', 'NoNewPrivs:\t1']);
    should(await attack('run', '/bin/sh')).equal('ENOENT');
    should(await attack('hostname')).equal(os.hostname()); // a name of its own: changes would not reach this machine
  });

  it('passes an output on that is a file', async () => {
    const output = path.join(data, 'output');
    should(await attack('copyInput', '', output)).equal('done');
    readFileSync(output, 'utf8').should.equal('own model');
  });

  it('cannot pass a link off as its output, which would make a file of another user its own', async () => {
    const output = path.join(data, 'output');
    for (const target of [path.join(data, 'blobs/ab/other'), '/etc/passwd', '../../../service.db']) {
      await attack('linkOutput', target, output).should.be.rejectedWith(/not a file/);
      existsSync(output).should.equal(false);
    }
    await attack('outputFolder', '', output).should.be.rejectedWith(/not a file/);
    existsSync(output).should.equal(false);
  });

  it('finds nothing of an earlier job', async () => {
    const pid = await attack('pid');
    should(await attack('leave', 'note')).equal('done');
    should(await attack('list', '/job/out')).deepEqual([]);
    should(await attack('list', '/job/in')).deepEqual(['model']);
    should(await attack('pid')).equal(pid); // in the same process
  });

  for (const leave of ['leaveRaw', 'leaveFolder']) {
    it(`loses its process if its files cannot be deleted at once: ${leave}`, async () => {
      should(await attack(leave)).equal('done');
      await eventually('its process has ended', () => findKernels().length === 0);
      should(await attack('list', '/job/out')).deepEqual([]);
    });
  }

  it('leaves no process behind that it started in a session of its own', async () => {
    should(await attack('escape')).equal('started');
    const started = findDescendants(process.pid).filter(({ command }) => command.includes('setInterval'));
    started.should.have.length(1);
    await pool.close();
    await eventually('it has ended', () => !started.some(({ pid }) => isRunning(pid)));
  });
});
