import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import { missingFields, readRemoteAccount } from '../../../../nodes/shared/service/remote-account.js';

const BASE_URL = 'https://models.example.com';
const TYPED = { clientId: 'shop', clientSecret: 'cs', username: 'maker', password: 'pw' };

describe('the account at a remote service', () => {
  it('is what was typed in', async () => {
    (await readRemoteAccount(BASE_URL, TYPED, {})).should.deepEqual({ baseUrl: BASE_URL, ...TYPED });
  });

  it('comes from the environment where nothing was typed in', async () => {
    const environment = { MODEL_PROCESSING_USERNAME: 'env-user', MODEL_PROCESSING_PASSWORD: 'env-password' };
    const account = await readRemoteAccount(BASE_URL, { ...TYPED, username: '', password: '' }, environment);
    account.should.containEql({ username: 'env-user', password: 'env-password', clientId: 'shop' });
  });

  it('prefers what was typed in to the environment', async () => {
    const account = await readRemoteAccount(BASE_URL, TYPED, { MODEL_PROCESSING_PASSWORD: 'env-password' });
    account.password.should.equal('pw');
  });

  it('takes a variable that Node-RED could not replace for an empty field', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
    missingFields(BASE_URL, { ...TYPED, password: '${NOT_SET}' }, {}).should.deepEqual(['password']);
  });

  it('names every field that is missing, and an address that is none', () => {
    missingFields('models.example.com', {}, {}).should.deepEqual([
      'baseUrl',
      'clientId',
      'clientSecret',
      'username',
      'password',
    ]);
  });

  describe('from files, as container secrets are given', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'secrets-'));
      await writeFile(path.join(folder, 'password'), 'from a file\n');
    });
    after(() => rm(folder, { recursive: true }));

    it('is read without the line end', async () => {
      const environment = { MODEL_PROCESSING_PASSWORD_FILE: path.join(folder, 'password') };
      const account = await readRemoteAccount(BASE_URL, { ...TYPED, password: '' }, environment);
      account.password.should.equal('from a file');
    });

    it('fails with NOT_CONFIGURED, naming the variable, where the file cannot be read', async () => {
      const environment = { MODEL_PROCESSING_PASSWORD_FILE: path.join(folder, 'nothing') };
      const read = readRemoteAccount(BASE_URL, { ...TYPED, password: '' }, environment);
      const error = await read.should.be.rejectedWith({ code: 'NOT_CONFIGURED' });
      error.message.should.containEql('MODEL_PROCESSING_PASSWORD_FILE');
    });
  });
});
