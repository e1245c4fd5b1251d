import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { isOwnFile, readOwnFiles } from '../../../../nodes/shared/transfers/own-files.js';

describe('the files of Node-RED', () => {
  let root: string;
  let userDir: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'own-files-')));
    userDir = path.join(root, 'user');
    await mkdir(path.join(userDir, 'model-processing/files'), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const isOwn = (name: string, settings = {}) =>
    isOwnFile(path.join(root, name), readOwnFiles({ userDir, ...settings }));

  const OWN = [
    ...['settings.js', 'SETTINGS.JS', 'settings.cjs', 'settings.js~', 'settings.js.bak', 'settings.js.2026-11-25'],
    ...['flows.json', 'Flows.Json', 'flows_host.json', 'flows_host_cred.json', 'flows.json.$$$', '.flows.json.backup'],
    ...['.config.json', '.config.users.json', '.config.runtime.json.backup', '.sessions.json', '.npmrc'],
    ...['projects/p/flow.json', 'projects/p/.git/config', 'projects/.sshkeys/admin_key', 'lib/flows/a.json'],
    ...['model-processing/credentials.json', 'model-processing/files/part.stl', 'model-processing-waits.jsonl'],
  ];
  for (const name of OWN)
    it(`include ${name} in the user directory`, async () => {
      (await isOwn(`user/${name}`)).should.be.true();
    });

  for (const name of [
    'model-files/part.stl',
    'part.json.stl',
    'my.js/part.obj',
    'projects/p/models/part.3mf',
    'jsonly.stl',
  ])
    it(`do not include ${name} in the user directory`, async () => {
      (await isOwn(`user/${name}`)).should.be.false();
    });

  it('do not include a file of the same name elsewhere', async () => {
    (await isOwn('other/settings.js')).should.be.false();
  });

  it('include the settings, the flows and their credentials if they have other names', async () => {
    const settingsFile = path.join(root, 'red.conf');
    const flowFile = path.join(root, 'flow/my-flow');
    await mkdir(path.dirname(flowFile));
    for (const file of [
      settingsFile,
      flowFile,
      path.join(root, 'flow/.my-flow.backup'),
      path.join(userDir, 'my-flow_cred'),
    ])
      await writeFile(file, '{}');
    const settings = { settingsFile, flowFile };
    for (const name of ['red.conf', 'flow/my-flow', 'flow/.my-flow.backup', 'user/my-flow_cred'])
      should(await isOwn(name, settings)).equal(true, name);
  });

  it('include the files with credentials that the environment names', async () => {
    const file = path.join(root, 'secret.txt');
    await writeFile(file, 'secret');
    (await isOwnFile(file, readOwnFiles({ userDir }, { MODEL_PROCESSING_PASSWORD_FILE: file }))).should.be.true();
    (await isOwnFile(file, readOwnFiles({ userDir }, {}))).should.be.false();
  });

  it('include a data folder of the local service elsewhere, also by another path', async () => {
    await mkdir(path.join(root, 'data/files'), { recursive: true });
    await symlink('data', path.join(root, 'alias'));
    const settings = { modelProcessing: { dataDir: path.join(root, 'alias') } };
    (await isOwn('data/files/part.stl', settings)).should.be.true();
    (await isOwn('data-2/files/part.stl', settings)).should.be.false();
  });
});
