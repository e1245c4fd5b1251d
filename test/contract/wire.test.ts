import should from 'should';
import { shouldBeLike, Wire } from './support/wire.js';
import { isOwn } from './support/wire-target.js';

describe('the service, byte by byte', () => {
  let wire: Wire;

  before(async () => {
    wire = await Wire.open();
    wire.values.fileId = (await wire.sendOk('w06-upload-documented')).fileId ?? '';
    const { operationId } = await wire.sendOk('import');
    await wire.untilCompleted(operationId);
    const { resultId } = await wire.sendOk('import-result', { operationId });
    Object.assign(wire.values, { operationId, modelId: resultId });
  });

  after(() => wire.close());

  it('W1: accepts /Token and /token', async () => {
    await shouldBeLike(await wire.sendOk('w01-token-node'), 'token');
    await shouldBeLike(await wire.sendOk('w01-token-php'), 'token');
  });

  it('W2: accepts a token form without Content-Type and with an unencoded @', async () => {
    await shouldBeLike(await wire.sendOk('w02-token-without-type'), 'token');
  });

  const UPLOADS = [
    ['W3', 'w03-upload-node', 'fileName in camel case, without a name and a type'],
    ['W4', 'w04-upload-csharp', 'an unquoted filename of an attachment, and a quoted boundary'],
    ['W5', 'w05-upload-php', 'name, filename and a general type'],
    ['W6', 'w06-upload-documented', 'a filename without a name'],
    ['our client', 'upload', 'name, filename and a type of models'],
  ] as const;
  for (const [row, example, form] of UPLOADS) {
    it(`${row}: accepts an upload with ${form}, and stores its bytes`, async () => {
      const uploaded = await wire.sendOk(example);
      await shouldBeLike(uploaded, 'uploaded-file');
      const download = await wire.send('download', { fileId: uploaded.fileId });
      download.status.should.equal(200);
      download.body.should.match(/^solid t\nfacet [\s\S]*endsolid t\n$/);
      should(download.headers.get('content-disposition')).equal('attachment; filename="t.stl"');
      await wire.untilCompleted((await wire.sendOk('import', { fileId: uploaded.fileId })).operationId);
    });
  }

  it('W7: accepts indented JSON in chunked encoding', async () => {
    await shouldBeLike(await wire.sendOk('w07-import-chunked'), 'operation-handle');
  });

  it('W8: treats a callbackUrl of null as absent', async () => {
    await shouldBeLike(await wire.sendOk('w08-import-null-callback'), 'operation-handle');
  });

  it('W9: accepts units and formats in any case', async () => {
    const imported = await wire.untilCompleted((await wire.sendOk('w09-import-enum-name')).operationId);
    const exported = await wire.untilCompleted((await wire.sendOk('w09-export-enum-name')).operationId);
    [imported.isSuccessful, exported.isSuccessful].should.deepEqual([true, true]);
  });

  it('W10: accepts a GET with a Content-Type and no body', async () => {
    await shouldBeLike(await wire.sendOk('w10-status-with-type'), 'status');
  });

  it('W11: replies with 200 to every successful request', async () => {
    const { operationId } = await wire.sendOk('export');
    await wire.untilCompleted(operationId);
    const { fileId } = await wire.sendOk('export-result', { operationId });
    (await wire.send('download', { fileId })).status.should.equal(200);
  });

  it('W12: replies to an error with an integer code and a message', async () => {
    const reply = await wire.send('export-unknown-format');
    should(reply.status).be.aboveOrEqual(400);
    const problem = JSON.parse(reply.body);
    await shouldBeLike(problem, 'problem');
    should(Number.isInteger(problem.errors[0].code)).be.true();
    if (isOwn) problem.errors[0].message.should.match(/expected one of stl/);
  });

  it('W13: replies to the result of a failed operation with its error', async () => {
    const { operationId } = await wire.sendOk('repair'); // one triangle cannot become a solid
    (await wire.untilCompleted(operationId)).isSuccessful.should.be.false();
    const reply = await wire.send('repair-result', { operationId });
    reply.status.should.equal(422);
    JSON.parse(reply.body).errors.should.have.length(1);
  });

  it('W14: replies with 200 to the status of a failed operation', async () => {
    const { operationId } = await wire.sendOk('repair');
    await shouldBeLike(await wire.untilCompleted(operationId), 'status');
  });

  it('W15: returns the issue time of a token, and keeps several tokens valid', async () => {
    const first = await wire.sendOk('w01-token-node');
    const second = await wire.sendOk('w01-token-node');
    first['.issued'].should.match(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    should(Math.abs(Date.parse(first['.issued']) - Date.now())).be.below(60_000);
    await wire.sendOk('status', { token: first.access_token });
    await wire.sendOk('status', { token: second.access_token });
  });

  it('W16: returns the lifetime of the access token in expires_in', async () => {
    const token = await wire.sendOk('w01-token-node');
    token.expires_in.should.equal(900);
    should(Number.isNaN(Date.parse(token['.expires']))).be.false();
  });

  it('W17: accepts the id of a model as fileId', async () => {
    await shouldBeLike(await wire.sendOk('w17-repair-by-file-id'), 'operation-handle');
  });

  it('W18: returns ISO 8601 dates with fraction and offset, and operationId in every result', async () => {
    const uploaded = await wire.sendOk('w03-upload-node');
    uploaded.creationDate.should.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d$/);
    const result = await wire.sendOk('import-result');
    await shouldBeLike(result, 'model-result');
    result.operationId.should.equal(wire.values.operationId);
  });

  it('W19: serves paths at the root of its base URL, in any case', async () => {
    should(new URL(wire.target.baseUrl).pathname).equal('/');
    await shouldBeLike(await wire.sendOk('w19-status-shouted'), 'status');
  });

  it('sends a token reply with headers that prevent caching', async () => {
    const reply = await wire.send('w01-token-node');
    should(reply.headers.get('content-type')).equal('application/json;charset=UTF-8');
    should(reply.headers.get('cache-control')).equal('no-cache');
    should(reply.headers.get('pragma')).equal('no-cache');
    should(reply.headers.get('expires')).equal('-1');
  });

  it('returns a new pair of tokens for a refresh token, once', async () => {
    const { refresh_token: refreshToken } = await wire.sendOk('w01-token-node');
    await shouldBeLike(await wire.sendOk('token-refresh', { refreshToken }), 'token');
    const again = await wire.send('token-refresh', { refreshToken });
    again.status.should.equal(400);
    await shouldBeLike(JSON.parse(again.body), 'token-problem');
  });

  it('replies to a request without a token with 401 and the Bearer challenge', async () => {
    const reply = await wire.send('status-without-token');
    reply.status.should.equal(401);
    should(reply.headers.get('www-authenticate')).equal('Bearer');
    const body = JSON.parse(reply.body);
    await shouldBeLike(body, 'not-authorized');
    body.message.should.equal('Authorization has been denied for this request.');
  });
});
