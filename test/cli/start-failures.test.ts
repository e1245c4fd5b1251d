import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { CLI, runProgram, startServe, stopProgram } from '../service/support/program.js';

const OTHER_USER = 65_534;

/** Runs a command without the rights of root. Resolves with the last line of its stderr once it has ended. */
async function runAsOther(...args: string[]): Promise<string> {
  const user = process.getuid?.() === 0 ? { uid: OTHER_USER, gid: OTHER_USER } : {};
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...user });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  await once(child, 'close');
  return errors.trim().split('\n').at(-1) ?? '';
}

/** Runs `serve` on a folder without the rights of root. */
function serveAsOther(folder: string): Promise<string> {
  return runAsOther('serve', '--port', '0', '--data', folder, '--parent-pipe');
}

describe('a service that cannot start says why, and what to do:', () => {
  let parent: string;
  let folder: string;
  let server: Server | undefined;

  beforeEach(async () => {
    parent = await mkdtemp(path.join(os.tmpdir(), 'start-failures-'));
    await chmod(parent, 0o755);
    folder = path.join(parent, 'data');
  });
  afterEach(async () => {
    server?.close();
    server = undefined;
    await rm(parent, { recursive: true, force: true });
  });

  const serve = (...args: string[]) => runProgram(['serve', '--data', folder, ...args]);
  const fill = async () => {
    await stopProgram(await startServe(folder));
    if (process.getuid?.() !== 0) return;
    await chown(folder, OTHER_USER, OTHER_USER);
    for (const name of await readdir(folder)) await chown(path.join(folder, name), OTHER_USER, OTHER_USER);
  };
  const occupyPort = async (): Promise<string> => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return String((server.address() as AddressInfo).port); // a server that listens on a port has one
  };

  it('the data folder belongs to another user', async () => {
    await stopProgram(await startServe(folder));
    await chmod(folder, 0o000);
    const message = await serveAsOther(folder);
    should(message).match(
      /^model-processing: Could not use the data folder (\S+): \1 belongs to user \d+ \(mode 0000\), /,
    );
    should(message).match(
      /and this program runs as user \d+\. .*\((chown -R \d+:\d+|chmod -R u\+rwX) \S+\), or choose /,
    );
    should(message).endWith('or choose another folder with --data.');
    await chmod(folder, 0o700);
  });

  for (const name of ['lock.db', 'service.db', 'accounts.json', 'blobs', 'temp'])
    it(`${name} in the data folder belongs to another user`, async () => {
      await fill();
      const file = path.join(folder, name);
      await chown(file, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
      await chmod(file, 0o000);
      should(await serveAsOther(folder)).containEql(
        `Could not use the data folder ${folder}: ${file} belongs to user `,
      );
      await chmod(file, 0o700);
    });

  it('the data folder cannot be created', async () => {
    await chmod(parent, 0o555);
    const message = await serveAsOther(folder);
    should(message).containEql(`${parent} belongs to user `).and.containEql(`mkdir ${folder} && chown `);
    await chmod(parent, 0o755);
  });

  it('a file is in the place of the data folder, or of a parent', async () => {
    await writeFile(folder, '');
    for (const data of [folder, path.join(folder, 'models')]) {
      const { status, errors } = await runProgram(['serve', '--port', '0', '--data', data]);
      should(status).equal(1);
      should(errors).containEql(`Could not use the data folder ${data}: ${folder} is not a folder. Move it, or `);
    }
  });

  it('the system refuses folders there', async () => {
    const { errors } = await runProgram(['serve', '--port', '0', '--data', '/proc/models']);
    should(errors).containEql('Could not use the data folder /proc/models: the system refuses /proc/models (ENOENT).');
  });

  it('another program is using the port', async () => {
    const port = await occupyPort();
    const { status, errors } = await serve('--port', port);
    should(status).equal(1);
    should(errors).containEql(
      `Could not listen on 127.0.0.1:${port}: another program is using port ${port}. Stop it, or choose another port with --port`,
    );
    should((await serve('--port', '0', '--metrics-port', port)).errors).containEql('another port with --metrics-port');
  });

  it('the machine does not have the address', async () => {
    const { errors } = await serve('--port', '0', '--host', '192.0.2.1');
    should(errors).containEql('this machine does not have the address 192.0.2.1. Choose one that it has with --host');
  });

  it('the folder of a backup cannot be created', async () => {
    await stopProgram(await startServe(folder));
    const target = path.join(parent, 'file/backup');
    await writeFile(path.join(parent, 'file'), '');
    const { errors } = await runProgram(['backup', target, '--data', folder]);
    should(errors).containEql(
      `Could not use the folder ${target}: ${path.join(parent, 'file')} is not a folder. Move it, or name another one.`,
    );
  });

  it('another command may not read the database', async () => {
    await fill();
    const file = path.join(folder, 'service.db');
    await chown(file, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    await chmod(file, 0o000);
    should(await runAsOther('user', 'list', '--data', folder)).containEql(`${file} belongs to user `);
  });
});
