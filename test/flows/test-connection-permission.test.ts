import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import { findFreePort, startNodeRedProcess } from '../helpers/node-red-process.js';

describe('the "Test connection" endpoint with adminAuth', () => {
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

  const requestStatus = async (permissions: string) => {
    const settings = `adminAuth: { type: 'credentials', users: [], default: { permissions: '${permissions}' } },`;
    const nodeRed = await startNodeRedProcess(userDir, await findFreePort(), { settings });
    try {
      const body = JSON.stringify({ service: 'remote' });
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(`${nodeRed.url}/model-processing/test-connection`, { method: 'POST', headers, body })).status;
    } finally {
      await nodeRed.stop();
    }
  };

  it('is allowed to users who may deploy, and to no others', async () => {
    (await requestStatus('read')).should.equal(401);
    (await requestStatus('*')).should.equal(200);
  });
});
