import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import should from 'should';
import { readPassword } from '../../src/service/command-line/read-password.js';
import { nextTurn } from '../helpers/next-turn.js';
import { askForToken, callsWith, logIn } from '../service/support/account.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { CLI, type Program, runProgram, startServe, stopProgram } from '../service/support/program.js';
import { readCredentials } from '../service/support/running.js';
import { copyTemplate } from '../service/support/template-folder.js';
import { runHere } from './support/run-here.js';

describe('model-processing user and client', () => {
  let folder: string;
  let service: Program & { baseUrl: string };

  const run = (args: string[], stdin = '') => runProgram([...args, '--data', folder], {}, CLI, stdin);

  const tokenOf = (username: string, password: string) =>
    askForToken(folder, { grant_type: 'password', username, password });

  const statusWith = async (token: string): Promise<number> =>
    (await callsWith(service.baseUrl, token).get(`${randomUUID()}/status`)).status;

  before(async () => {
    folder = await createFolder();
    await copyTemplate(folder);
    service = await startServe(folder);
  });

  after(async () => {
    await stopProgram(service);
    await removeFolder(folder);
  });

  it('refuses a folder without a database, and creates nothing in it', async () => {
    const missing = path.join(folder, 'typo');
    for (const args of [
      ['user', 'list'],
      ['client', 'add', 'shop'],
      ['verify'],
      ['backup', path.join(folder, 'copy')],
    ]) {
      const { status, errors } = await runProgram([...args, '--data', missing]);
      should(status).equal(5);
      errors.should.match(/typo has no service\.db\. Nothing was changed\. Name the data folder/);
    }
    should(await readdir(folder)).not.containEql('typo');
  });

  it('adds a user to a running service, with the password from stdin', async () => {
    const { status, lines } = await run(['user', 'add', 'ann'], 'pässwörd 1\nsecond line\n');
    should(status).equal(0);
    should(lines).be.empty();
    (await tokenOf('ann', 'pässwörd 1')).status.should.equal(200);
    (await tokenOf('ann', 'pässwörd 2')).status.should.equal(400);
  });

  it('lists users without their passwords', async () => {
    const { lines } = await run(['user', 'list']);
    should(lines.map((line) => line.split('\t')[0])).containEql('ann');
    lines.join('\n').should.not.match(/scrypt|pässwörd/);
  });

  it('lists which users are owners', async () => {
    const roles = async () => {
      const { lines } = await run(['user', 'list']);
      return Object.fromEntries(lines.map((line) => line.split('\t')).map(([name = '', , , role]) => [name, role]));
    };
    const { username } = await readCredentials(folder);
    should((await run(['user', 'add', 'eva'], 'password of eva\n')).status).equal(0);
    (await roles()).should.containEql({ eva: '-', [username]: 'owner' });
    should((await run(['user', 'owner', 'eva', 'on'])).status).equal(0);
    (await roles()).should.containEql({ eva: 'owner' });
    should((await run(['user', 'remove', 'eva'])).status).equal(0);
  });

  it('sets the quota of a user when adding them and later, and lists it', async () => {
    const quotas = async () => {
      const { lines } = await run(['user', 'list']);
      return lines.map((line) => line.split('\t')).flatMap(([name, , quota]) => (name === 'dora' ? [quota] : []));
    };
    should((await run(['user', 'add', 'dora', '--quota', '2M'], 'password of dora\n')).status).equal(0);
    should(await quotas()).deepEqual(['2097152']);
    const { body } = await tokenOf('dora', 'password of dora');
    const dora = callsWith(service.baseUrl, body.access_token);
    const statusOfUpload = async () => (await dora.upload(new Uint8Array(3_000_000), 'a.stl')).status;
    should(await statusOfUpload()).equal(507);
    should((await run(['user', 'quota', 'dora', '4M'])).status).equal(0);
    should(await quotas()).deepEqual(['4194304']);
    should(await statusOfUpload()).equal(200);
    should(await statusOfUpload()).equal(507);
    should((await run(['user', 'quota', 'dora', 'none'])).status).equal(0);
    should(await quotas()).deepEqual(['-']);
    should(await statusOfUpload()).equal(200);
  });

  it('refuses to add an existing user', async () => {
    const { status, errors } = await run(['user', 'add', 'ann'], 'another password\n');
    should(status).equal(1);
    errors.should.match(/User "ann" already exists/);
    (await tokenOf('ann', 'pässwörd 1')).status.should.equal(200);
  });

  it('changes a password, and revokes only the tokens of that user', async () => {
    const owner = await logIn(folder);
    const { access_token: token, refresh_token } = (await tokenOf('ann', 'pässwörd 1')).body;
    should((await run(['user', 'password', 'ann'], 'pässwörd 2\n')).status).equal(0);
    (await statusWith(token)).should.equal(401);
    (await askForToken(folder, { grant_type: 'refresh_token', refresh_token })).status.should.equal(400);
    (await tokenOf('ann', 'pässwörd 1')).status.should.equal(400);
    (await tokenOf('ann', 'pässwörd 2')).status.should.equal(200);
    (await statusWith(owner.token)).should.equal(404); // authorized, and no such operation
  });

  it('removes a user and their tokens', async () => {
    const { access_token: token } = (await tokenOf('ann', 'pässwörd 2')).body;
    should((await run(['user', 'remove', 'ann'])).status).equal(0);
    (await statusWith(token)).should.equal(401);
    (await tokenOf('ann', 'pässwörd 2')).status.should.equal(400);
  });

  it('adds a client, prints its secret once, and removes it with its tokens', async () => {
    const { lines } = await run(['client', 'add', 'shop']);
    const { clientId, clientSecret } = JSON.parse(lines[0] ?? '');
    await run(['user', 'add', 'bob'], 'password of bob\n');
    const form = { grant_type: 'password', username: 'bob', password: 'password of bob' };
    const { status, body } = await askForToken(folder, form, { id: clientId, secret: clientSecret });
    should(status).equal(200);
    const listed = (await run(['client', 'list'])).lines.join('\n');
    listed.should.match(/^shop\t/m);
    listed.should.not.containEql(clientSecret);
    should((await run(['client', 'remove', 'shop'])).status).equal(0);
    (await statusWith(body.access_token)).should.equal(401);
    (await askForToken(folder, form, { id: clientId, secret: clientSecret })).status.should.equal(401);
  });

  for (const args of [
    ['user', 'remove', 'nobody'],
    ['user', 'password', 'nobody'],
    ['user', 'quota', 'nobody', '5G'],
    ['client', 'remove', 'nobody'],
  ]) {
    it(`exits with 1 for "${args.join(' ')}" of an unknown account`, async () => {
      should((await run(args, 'some password\n')).status).equal(1);
    });
  }

  for (const args of [
    ['user'],
    ['user', 'rename', 'ann'],
    ['user', 'add'],
    ['user', 'add', 'ann', 'password-in-argv'],
    ['user', 'add', 'a:b'],
    ['user', 'list', 'ann'],
    ['user', 'add', 'ann', '--quota', 'much'],
    ['user', 'password', 'ann', '--quota', '5G'],
    ['user', 'quota', 'ann'],
    ['user', 'quota', 'ann', '5'],
    ['user', 'quota', 'ann', '5G', '6G'],
    ['client', 'add', 'shop', '--quota', '5G'],
    ['client', 'password', 'shop'],
    ['client', 'constructor', 'shop'],
  ]) {
    it(`exits with 2 for "${args.join(' ')}"`, async () => {
      should((await runHere([...args, '--data', folder])).status).equal(2);
    });
  }

  it('exits with 2 for "user add short"', async () => {
    should((await run(['user', 'add', 'short'], 'short\n')).status).equal(2);
  });
});

describe('readPassword', () => {
  const type = async (...lines: string[]) => {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
    const output = new PassThrough();
    const reading = Promise.allSettled([readPassword({ input, output })]);
    for (const line of lines) {
      input.write(`${line}\n`);
      await nextTurn();
    }
    const [password] = await reading;
    return { password, shown: String(output.read()) };
  };

  it('prompts twice and does not echo the input', async () => {
    const { password, shown } = await type('long enough', 'long enough');
    should(password).have.property('value', 'long enough');
    should(shown).equal('Password: \nRepeat the password: \n');
  });

  it('throws USAGE if the passwords do not match', async () => {
    const { password } = await type('long enough', 'long enouhg');
    should(password).have.propertyByPath('reason', 'code').equal('USAGE');
  });
});
