import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import {
  findAccountProblem,
  listVariables,
  readRemoteAccount,
} from '../../../../nodes/shared/service/remote-account.js';

const BASE_URL = 'https://models.example.com';
const SAVED = { clientId: 'shop', clientSecret: 'cs', username: 'maker', password: 'pw' };

describe('listVariables', () => {
  it('returns the names of the credentials that environment variables or files provide', () => {
    const environment = { MODEL_PROCESSING_USERNAME: 'maker', MODEL_PROCESSING_PASSWORD_FILE: '/run/secrets/password' };
    listVariables(environment).should.deepEqual(['username', 'password']);
    listVariables({}).should.be.empty();
  });
});

describe('findAccountProblem', () => {
  it('returns nothing for an account with all fields', () => {
    should(findAccountProblem(BASE_URL, SAVED, {})).be.undefined();
  });

  it('treats a variable that Node-RED could not replace as an empty field', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which Node-RED refers to a variable
    const variable = '${NOT_SET}';
    should(findAccountProblem(variable, { ...SAVED, password: variable }, {})).equal(
      'Fields missing in the service node: baseUrl, password.',
    );
  });

  it('names all missing fields by their labels', () => {
    should(findAccountProblem(' ', {}, {}, (name) => name.toUpperCase())).equal(
      'Fields missing in the service node: BASEURL, CLIENTID, CLIENTSECRET, USERNAME, PASSWORD.',
    );
  });

  const INVALID =
    'Invalid address: enter a URL that begins with http:// or https:// and contains no username or password.';

  it('says that an address is invalid, without its secrets', async () => {
    for (const baseUrl of ['models.example.com', 'https://maker:secret@models.example.com']) {
      should(findAccountProblem(baseUrl, SAVED, {})).equal(INVALID);
      await readRemoteAccount(baseUrl, SAVED, {}).should.be.rejectedWith({ code: 'NOT_CONFIGURED', message: INVALID });
    }
  });

  it('says that the address is invalid and fields are missing', () => {
    const problem = findAccountProblem('models.example.com', { ...SAVED, password: '' }, {});
    should(problem).equal(`${INVALID} Fields missing in the service node: password.`);
  });
});

describe('readRemoteAccount', () => {
  it('returns the credentials of the dialog', async () => {
    (await readRemoteAccount(BASE_URL, SAVED, {})).should.deepEqual({ baseUrl: BASE_URL, ...SAVED });
  });

  it('uses environment variables for empty credentials', async () => {
    const environment = { MODEL_PROCESSING_USERNAME: 'env-user', MODEL_PROCESSING_PASSWORD: 'env-password' };
    const account = await readRemoteAccount(BASE_URL, { ...SAVED, username: '', password: '' }, environment);
    account.should.containEql({ username: 'env-user', password: 'env-password', clientId: 'shop' });
  });

  it('prefers the credentials of the dialog to the environment', async () => {
    const account = await readRemoteAccount(BASE_URL, SAVED, { MODEL_PROCESSING_PASSWORD: 'env-password' });
    account.password.should.equal('pw');
  });

  describe('with a secret in a file, as containers use them', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'secrets-'));
      await writeFile(path.join(folder, 'password'), 'from a file\n');
    });
    after(() => rm(folder, { recursive: true }));

    it('removes the line end from the content of the file', async () => {
      const environment = { MODEL_PROCESSING_PASSWORD_FILE: path.join(folder, 'password') };
      const account = await readRemoteAccount(BASE_URL, { ...SAVED, password: '' }, environment);
      account.password.should.equal('from a file');
    });

    it('throws NOT_CONFIGURED with the name of the variable if the file cannot be read', async () => {
      const environment = { MODEL_PROCESSING_PASSWORD_FILE: path.join(folder, 'nothing') };
      const read = readRemoteAccount(BASE_URL, { ...SAVED, password: '' }, environment);
      const error = await read.should.be.rejectedWith({ code: 'NOT_CONFIGURED' });
      error.message.should.containEql('MODEL_PROCESSING_PASSWORD_FILE');
    });
  });
});
