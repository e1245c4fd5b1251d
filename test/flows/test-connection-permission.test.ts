import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import { freePort, startNodeRedProcess } from '../helpers/node-red-process.js';

describe('Test connection of a Node-RED with logins', function () {
  this.timeout(60_000);
  let userDir: string;

  before(async () => {
    userDir = await mkdtemp(path.join(os.tmpdir(), 'permission-'));
    await mkdir(path.join(userDir, 'node_modules/@model-processing'), { recursive: true });
    await symlink(path.resolve('.'), path.join(userDir, 'node_modules/@model-processing/node-red'), 'junction');
    const dependencies = { '@model-processing/node-red': '*' };
    await writeFile(path.join(userDir, 'package.json'), JSON.stringify({ name: 'user', dependencies }));
    await writeFile(path.join(userDir, 'flows.json'), '[{"id":"tab","type":"tab","label":"empty"}]');
  });
  after(() => rm(userDir, { recursive: true, force: true }));

  const statusFor = async (permissions: string) => {
    const login = `adminAuth: { type: 'credentials', users: [], default: { permissions: '${permissions}' } },`;
    const nodeRed = await startNodeRedProcess(userDir, await freePort(), { settings: login });
    try {
      const body = JSON.stringify({ service: 'remote' });
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(`${nodeRed.url}/model-processing/test-connection`, { method: 'POST', headers, body })).status;
    } finally {
      await nodeRed.stop();
    }
  };

  it('is for those who may deploy, and for nobody else', async () => {
    (await statusFor('read')).should.equal(401);
    (await statusFor('*')).should.equal(200);
  });
});
