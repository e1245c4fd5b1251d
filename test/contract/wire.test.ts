import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import should from 'should';
import { hashPassword } from '../../src/service/auth/passwords.js';
import { hashOf } from '../../src/service/auth/secrets.js';
import type { RunningService } from '../../src/service/serve.js';
import { createAccounts } from '../../src/service/store/accounts.js';
import { openStore } from '../../src/service/store/database.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { startService } from '../service/support/running.js';
import { type RawReply, sendRaw } from './raw-http.js';

const EXAMPLES = path.resolve('test/contract/examples');

/** The account that the examples were written out for. */
const addExampleAccount = async (folder: string): Promise<void> => {
  const store = await openStore(path.join(folder, 'service.db'));
  const accounts = createAccounts(store);
  await accounts.addClient({ id: 'app', secret_hash: hashOf('s3cr3t'), created_at: 0 });
  const password_hash = await hashPassword('p@ss wörd');
  await accounts.addUser({ id: randomUUID(), username: 'test@test.com', password_hash, created_at: 0 });
  await store.destroy();
};

describe('the service on the wire', () => {
  let folder: string;
  let service: RunningService;
  let port: number;
  // What stands in braces in the examples.
  const values: Record<string, string> = {};

  const send = async (name: string, more: Record<string, string> = {}): Promise<RawReply> => {
    const text = await readFile(path.join(EXAMPLES, 'requests', `${name}.http`), 'utf8');
    const known: Record<string, string> = { ...values, ...more };
    return sendRaw(port, Buffer.from(text.replace(/\{(\w+)\}/g, (braced, key) => known[key] ?? braced)));
  };

  const sendOk = async (name: string, more: Record<string, string> = {}) => {
    const reply = await send(name, more);
    should(reply.status).equal(200, reply.body);
    return JSON.parse(reply.body);
  };

  const untilCompleted = async (operationId: string) => {
    for (;;) {
      const status = await sendOk('status', { operationId });
      if (status.isCompleted) return status;
      await sleep(20);
    }
  };

  const importModel = async (): Promise<{ operationId: string; modelId: string }> => {
    const { operationId } = await sendOk('import');
    await untilCompleted(operationId);
    const { resultId } = await sendOk('import-result', { operationId });
    return { operationId, modelId: resultId };
  };

  /** Holds a reply against one that was written out from the description of the API: the same fields, of the same types. */
  const shouldBeLike = async (reply: object, example: string): Promise<void> => {
    const wanted: object = JSON.parse(await readFile(path.join(EXAMPLES, 'replies', `${example}.json`), 'utf8'));
    const found = new Map<string, unknown>(Object.entries(reply));
    for (const [field, value] of Object.entries(wanted)) {
      should(typeof found.get(field)).equal(typeof value, `${example}: ${field}`);
    }
  };

  before(async () => {
    folder = await createFolder();
    await addExampleAccount(folder);
    service = await startService(folder);
    port = Number(new URL(service.baseUrl).port);
    values.host = `127.0.0.1:${port}`;
    values.token = (await sendOk('w01-token-node')).access_token;
    values.fileId = (await sendOk('w06-upload-documented')).fileId;
    const { operationId, modelId } = await importModel();
    Object.assign(values, { operationId, modelId });
  });

  after(async () => {
    await service.close();
    await removeFolder(folder);
  });

  it('W1: matches /Token and /token alike', async () => {
    await shouldBeLike(await sendOk('w01-token-node'), 'token');
    await shouldBeLike(await sendOk('w01-token-php'), 'token');
  });

  it('W2: takes the token form without a Content-Type and with a bare @', async () => {
    await shouldBeLike(await sendOk('w02-token-without-type'), 'token');
  });

  const UPLOADS = [
    ['W3', 'w03-upload-node', 'fileName in camel case, without a name and a type'],
    ['W4', 'w04-upload-csharp', 'an unquoted filename of an attachment, and a quoted boundary'],
    ['W5', 'w05-upload-php', 'name, filename and a general type'],
    ['W6', 'w06-upload-documented', 'a filename without a name'],
    ['our client', 'upload', 'name, filename and a type of models'],
  ] as const;
  for (const [row, example, what] of UPLOADS) {
    it(`${row}: takes an upload with ${what}, and keeps its bytes`, async () => {
      const uploaded = await sendOk(example);
      await shouldBeLike(uploaded, 'uploaded-file');
      const download = await send('download', { fileId: uploaded.fileId });
      download.status.should.equal(200);
      download.body.should.match(/^solid t\nfacet [\s\S]*endsolid t\n$/);
      should(download.headers.get('content-disposition')).equal('attachment; filename="t.stl"');
      await untilCompleted((await sendOk('import', { fileId: uploaded.fileId })).operationId);
    });
  }

  it('W7: takes indented JSON in chunks', async () => {
    await shouldBeLike(await sendOk('w07-import-chunked'), 'operation-handle');
  });

  it('W8: takes a callbackUrl of null for none', async () => {
    await shouldBeLike(await sendOk('w08-import-null-callback'), 'operation-handle');
  });

  it('W9: takes the names of units and formats in any case', async () => {
    const imported = await untilCompleted((await sendOk('w09-import-enum-name')).operationId);
    const exported = await untilCompleted((await sendOk('w09-export-enum-name')).operationId);
    [imported.isSuccessful, exported.isSuccessful].should.deepEqual([true, true]);
  });

  it('W10: takes a GET that names a type and has no body', async () => {
    await shouldBeLike(await sendOk('w10-status-with-type'), 'status');
  });

  it('W11: answers every success of the way with 200', async () => {
    const { operationId } = await sendOk('export');
    await untilCompleted(operationId);
    const { fileId } = await sendOk('export-result', { operationId });
    (await send('download', { fileId })).status.should.equal(200);
  });

  it('W12: answers an error with an integer code and a message', async () => {
    const reply = await send('export-unknown-format');
    reply.status.should.equal(400);
    const problem = JSON.parse(reply.body);
    await shouldBeLike(problem, 'problem');
    should(Number.isInteger(problem.errors[0].code)).be.true();
    problem.errors[0].message.should.match(/known are stl/);
  });

  it('W13: answers the result of a failed operation with its error', async () => {
    const { operationId } = await sendOk('repair'); // one triangle can be no solid
    (await untilCompleted(operationId)).isSuccessful.should.be.false();
    const reply = await send('repair-result', { operationId });
    reply.status.should.equal(422);
    JSON.parse(reply.body).errors.should.have.length(1);
  });

  it('W14: answers the status of a failed operation with 200', async () => {
    const { operationId } = await sendOk('repair');
    await shouldBeLike(await untilCompleted(operationId), 'status');
  });

  it('W15: says when a token was issued by its own clock, and lets several be valid at once', async () => {
    const first = await sendOk('w01-token-node');
    const second = await sendOk('w01-token-node');
    first['.issued'].should.match(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    should(Math.abs(Date.parse(first['.issued']) - Date.now())).be.below(60_000);
    await sendOk('status', { token: first.access_token });
    await sendOk('status', { token: second.access_token });
  });

  it('W16: says how long the access token lives in expires_in', async () => {
    const token = await sendOk('w01-token-node');
    token.expires_in.should.equal(900);
    should(Number.isNaN(Date.parse(token['.expires']))).be.false();
  });

  it('W17: takes fileId for inputId where it names a model', async () => {
    await shouldBeLike(await sendOk('w17-repair-by-file-id'), 'operation-handle');
  });

  it('W18: writes dates as ISO 8601 with fractional seconds and UTC offset, and operationId in every result', async () => {
    const uploaded = await sendOk('w03-upload-node');
    uploaded.creationDate.should.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d$/);
    const result = await sendOk('import-result');
    await shouldBeLike(result, 'model-result');
    result.operationId.should.equal(values.operationId);
  });

  it('W19: answers at the root of its base URL, in any case', async () => {
    should(new URL(service.baseUrl).pathname).equal('/');
    await shouldBeLike(await sendOk('w19-status-shouted'), 'status');
  });

  it('sends a token reply with its headers, and no way to store it', async () => {
    const reply = await send('w01-token-node');
    should(reply.headers.get('content-type')).equal('application/json;charset=UTF-8');
    should(reply.headers.get('cache-control')).equal('no-cache');
    should(reply.headers.get('pragma')).equal('no-cache');
    should(reply.headers.get('expires')).equal('-1');
  });

  it('gives a new pair of tokens for a refresh token, once', async () => {
    const { refresh_token: refreshToken } = await sendOk('w01-token-node');
    await shouldBeLike(await sendOk('token-refresh', { refreshToken }), 'token');
    const again = await send('token-refresh', { refreshToken });
    again.status.should.equal(400);
    await shouldBeLike(JSON.parse(again.body), 'token-problem');
  });

  it('answers a request without a token with 401 and the scheme', async () => {
    const reply = await send('status-without-token');
    reply.status.should.equal(401);
    should(reply.headers.get('www-authenticate')).equal('Bearer');
    const body = JSON.parse(reply.body);
    await shouldBeLike(body, 'not-authorized');
    body.message.should.equal('Authorization has been denied for this request.');
  });

  const REFUSED_UPLOADS = [
    ['upload-without-filename', 40006, 'without a filename'],
    ['upload-without-end', 40007, 'whose last boundary is missing'],
    ['upload-with-wrong-boundary', 40007, 'whose boundary is another'],
    ['upload-without-boundary', 40007, 'that names no boundary'],
    ['upload-of-two-files', 40008, 'of two files'],
    ['upload-without-length', 41100, 'without Content-Length'],
    ['upload-too-large', 41300, 'of more than the service takes'],
  ] as const;
  for (const [example, code, what] of REFUSED_UPLOADS) {
    it(`refuses an upload ${what} with ${code}`, async () => {
      const reply = await send(example);
      reply.status.should.equal(Math.floor(code / 100));
      JSON.parse(reply.body).errors[0].code.should.equal(code);
    });
  }

  it('answers what is no HTTP in the form of every other error', async () => {
    const reply = await sendRaw(port, Buffer.from('HELLO\r\n\r\n'));
    reply.status.should.equal(400);
    JSON.parse(reply.body).errors[0].code.should.equal(40000);
  });
});
