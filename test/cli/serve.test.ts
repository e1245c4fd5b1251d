import { cp, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import type { Credentials } from '../../src/service/data-folder/credentials.js';
import { logIn } from '../service/support/account.js';
import { useFolder } from '../service/support/data-folder.js';
import { CLI, runProgram, startProgram, stopProgram, useServe } from '../service/support/program.js';
import { readCredentials } from '../service/support/running.js';
import { runHere } from './support/run-here.js';

describe('model-processing serve', () => {
  let folder: string;
  const serve = useServe();
  const start = (args: string[] = []) => serve(folder, args);

  useFolder((created) => (folder = created));

  it('prints only its base URL on stdout, and logs JSON on stderr', async () => {
    const program = await start();
    program.baseUrl.should.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    (await fetch(`${program.baseUrl}/healthz`)).status.should.equal(200);
    (await stopProgram(program))?.should.equal(0);
    program.lines.should.have.length(1);
    const levels = program
      .errors()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).level);
    new Set(levels).should.deepEqual(new Set(['info']));
  });

  it('writes valid credentials, readable by their owner only', async () => {
    const { baseUrl } = await start();
    const credentials = await readCredentials(folder);
    const names: (keyof Credentials)[] = [
      ...(['baseUrl', 'clientId', 'clientSecret', 'identityKey', 'instanceId', 'password', 'username'] as const),
    ];
    Object.keys(credentials)
      .sort((a, b) => a.localeCompare(b))
      .should.deepEqual(names);
    credentials.baseUrl.should.equal(baseUrl);
    const { mode } = await stat(path.join(folder, 'credentials.json'));
    (mode & 0o777).should.equal(0o600);
    const health: unknown = await (await fetch(`${baseUrl}/healthz`)).json();
    should(health).have.property('instanceId', credentials.instanceId);
    (await (await logIn(folder)).get('x/status')).status.should.equal(404);
  });

  it('keeps the account after a restart, and updates address and instance', async () => {
    await stopProgram(await start());
    const before = await readCredentials(folder);
    const { baseUrl } = await start();
    const after = await readCredentials(folder);
    after.should.match({ ...before, baseUrl, instanceId: after.instanceId, identityKey: after.identityKey });
    after.instanceId.should.not.equal(before.instanceId);
  });

  it('creates a new account if credentials.json is damaged', async () => {
    await stopProgram(await start());
    const before = await readCredentials(folder);
    await writeFile(path.join(folder, 'credentials.json'), '{"clientId":');
    await start();
    (await readCredentials(folder)).username.should.not.equal(before.username);
    (await (await logIn(folder)).get('x/status')).status.should.equal(404);
  });

  it('exits with 3 if another service is using the folder', async () => {
    const { baseUrl } = await start();
    const second = await runProgram(['serve', '--port', '0', '--data', folder]);
    second.status?.should.equal(3);
    second.lines.should.be.empty();
    second.errors.should.match(/in use by another service/);
    (await fetch(`${baseUrl}/healthz`)).status.should.equal(200);
  });

  it('opens the folder of a killed service', async () => {
    await stopProgram(await start(), 'SIGKILL');
    await start();
  });

  it('moves all commits from the write-ahead log to the database on SIGTERM', async () => {
    const program = await start();
    (await stat(path.join(folder, 'service.db-wal'))).size.should.be.above(0);
    await stopProgram(program);
    const { size } = await stat(path.join(folder, 'service.db-wal')).catch(() => ({ size: 0 }));
    size.should.equal(0);
  });

  it('stops when stdin is closed with --parent-pipe', async () => {
    const program = await start(['--parent-pipe']);
    program.child.stdin?.end();
    should(await program.ended).equal(0);
  });

  it('keeps running when stdin is closed without --parent-pipe', async () => {
    const program = await start();
    program.child.stdin?.end();
    (await fetch(`${program.baseUrl}/healthz`)).status.should.equal(200);
    should(await stopProgram(program)).equal(0);
  });

  it('reads its options from the environment', async () => {
    const other = path.join(folder, 'other');
    const environment = { MODEL_PROCESSING_DATA: other, MODEL_PROCESSING_PORT: '0', MODEL_PROCESSING_PARENT_PIPE: '1' };
    const program = startProgram(['serve'], environment);
    program.child.stdin?.end();
    should(await program.ended).equal(0);
    (await stat(path.join(other, 'credentials.json'))).isFile().should.be.true();
  });

  it('exits with 4 if its native code cannot be loaded, with the platform in the message', async () => {
    // Outside of this package no node_modules is found.
    const program = path.join(folder, 'program/dist/src/cli.js');
    await cp(path.dirname(CLI), path.dirname(program), { recursive: true });
    await writeFile(path.join(folder, 'program/package.json'), '{"type":"module","version":"0.0.0"}');
    const { status, errors } = await runProgram(['serve', '--port', '0', '--data', folder], {}, program);
    should(status).equal(4);
    errors.should.containEql(`${process.platform}-${process.arch}`);
  });

  for (const args of [
    ['--port', 'x'],
    ['--speed'],
    ['--callbacks', 'all'],
    ['here'],
    ['--trusted-proxies', 'public'],
    ['--trusted-proxies', 'loopback,0.0.0.0/0'],
    ['--metrics-token', 'a-token-of-length-21', '--metrics-token-file', '/nowhere'],
    ['--public-url', 'https://ann:secret@models.example'],
    ['--metrics-token', 'short'],
    ['--metrics-token-file', '/nowhere'],
    ['--memory', '1K'],
    ['--log-level', 'x'],
    ['--callback-secret-file', '/nowhere'],
    ['--cache', 'maybe'],
    ['--fault', '/nowhere'],
    ['--fault', 'package.json'],
    ['--fault', 'package.json', '--host', '0.0.0.0'],
  ]) {
    it(`exits with 2 for ${args.join(' ')}`, async () => {
      const { status, errors } = await runHere(['serve', '--data', folder, ...args]);
      should(status).equal(2);
      errors.should.match(/^model-processing: /);
      errors.should.not.match(/secret@|short/);
    });
  }
});

describe('model-processing', () => {
  it('prints its version and its commands', async () => {
    const version = await runProgram(['--version']);
    version.lines[0]?.should.match(/^\d+\.\d+\.\d+/);
    const help = await runProgram(['--help']);
    [version.status, help.status].should.deepEqual([0, 0]);
    help.lines.join('\n').should.match(/process IN[\s\S]*serve[\s\S]*worker[\s\S]*migrate[\s\S]*user[\s\S]*client/);
    help.lines.length.should.be.below(17);
  });

  for (const [command, option] of [
    ['process', '--inner-shells'],
    ['serve', '--user-quota'],
    ['user', 'user quota NAME'],
    ['client', 'add|remove'],
    ['backup', 'backup'],
    ['restore', 'restore'],
    ['verify', '--purge'],
    ['recover', '--apply'],
  ] as const) {
    it(`prints the help of ${command} only`, async () => {
      const { status, lines } = await runHere([command, '--help']);
      should(status).equal(0);
      should(lines[0]).startWith(`model-processing ${command} `);
      lines.join('\n').should.containEql(option);
      lines.at(-1)?.should.match(command === 'process' ? /MODEL_PROCESSING_UNITS for --units/ : /_DATA for --data/);
      for (const line of lines.filter((one) => one.startsWith('model-processing ')))
        line.should.startWith(`model-processing ${command} `);
      (await runHere(['help', command])).lines.should.deepEqual(lines);
    });
  }

  for (const args of [[], ['mend']]) {
    it(`exits with 2 for "${args.join(' ')}"`, async () => {
      should((await runProgram(args)).status).equal(2);
    });
  }
});
