import { randomUUID } from 'node:crypto';
import should from 'should';
import { eventually } from '../helpers/processes.js';
import { CUBE, OPEN_CUBE } from '../service/support/models.js';
import { startReceiver } from '../service/support/receiver.js';
import { shouldBeLike, Wire } from './support/wire.js';
import { isOwn } from './support/wire-target.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// One test per rule of the API description, by its sections.
describe('the documented API', () => {
  let wire: Wire;
  let fileId: string;
  let modelId: string;

  const operation = (path: string): string => `/web-api/operation/${path}`;

  before(async () => {
    wire = await Wire.open();
    fileId = (await wire.upload('cube.stl', OPEN_CUBE)).fileId;
    modelId = (await wire.run('import', { fileId, measurementUnits: 'mm' })).resultId;
  });

  after(() => wire.close());

  it('2.1: a token reply has all fields with their types, as UTF-8 JSON that is not cached', async () => {
    const reply = await wire.send('w01-token-node');
    const token = JSON.parse(reply.body);
    await shouldBeLike(token, 'token');
    token.token_type.should.equal('bearer');
    should(Number.isInteger(token.expires_in)).be.true();
    should(reply.headers.get('content-type')).equal('application/json;charset=UTF-8');
    const caching = ['cache-control', 'pragma', 'expires'].map((name) => reply.headers.get(name));
    should(caching).deepEqual(['no-cache', 'no-cache', '-1']);
  });

  it('2.1: .issued and .expires are HTTP dates in this order', async () => {
    const token = await wire.sendOk('w01-token-node');
    const [issued, expires] = [token['.issued'], token['.expires']];
    [issued, expires].forEach((date) => {
      should(new Date(date).toUTCString()).equal(date);
    });
    should(Date.parse(expires)).be.above(Date.parse(issued));
  });

  it('2.2: an uploaded file has an id, a URL and a creation time with fractional seconds and offset', async () => {
    const file = await wire.upload('cube.stl', CUBE);
    await shouldBeLike(file, 'uploaded-file');
    file.fileId.should.match(UUID);
    file.creationDate.should.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d$/);
    should(URL.canParse(file.fileUrl)).be.true();
  });

  it('2.3, 2.4: a start returns the id of an operation, and the status is that of this operation', async () => {
    const handle = await wire.requestOk('POST', operation('repair'), { inputId: modelId });
    handle.operationId.should.match(UUID);
    const status = await wire.untilCompleted(handle.operationId);
    await shouldBeLike(status, 'status');
    status.operationId.should.equal(handle.operationId);
  });

  it('2.5, 4.5, 4.6, 4.7: an exported file can be downloaded', async () => {
    const { fileId: exported } = await wire.run('export', { inputId: modelId, exportToFormat: 'stl' });
    exported.should.match(UUID);
    const reply = await wire.send('download', { fileId: exported });
    reply.status.should.equal(200);
    should(reply.body.length).be.above(84);
  });

  it('4.2: an upload requires Content-Length', async () => {
    should((await wire.send('upload-without-length')).status).be.within(400, 499);
  });

  it('4.2: an upload requires a filename', async () => {
    should((await wire.send('upload-without-filename')).status).be.within(400, 499);
  });

  it('4.3: an import requires neither units nor a callback', async () => {
    const result = await wire.run('import', { fileId });
    await shouldBeLike(result, 'model-result');
    result.resultId.should.match(UUID);
  });

  const MISSING = [
    ['4.3', 'import', 'fileId', {}],
    ['4.4', 'repair', 'inputId', {}],
    ['4.5', 'export', 'inputId', { exportToFormat: 'stl' }],
    ['4.5', 'export', 'exportToFormat', { inputId: '' }],
  ] as const;
  for (const [section, name, field, body] of MISSING) {
    it(`${section}: ${name} requires ${field}`, async () => {
      const input = 'inputId' in body ? { inputId: modelId } : body;
      const reply = await wire.request('POST', operation(name), input);
      should(reply.status).be.within(400, 499);
      await shouldBeLike(JSON.parse(reply.body), 'problem');
    });
  }

  it('1, 4.6: operations can be chained, each on the result of the previous one', async () => {
    const first = await wire.run('repair', { inputId: modelId });
    const second = await wire.run('repair', { inputId: first.resultId });
    await shouldBeLike(second, 'model-result');
    const exported = await wire.run('export', { inputId: second.resultId, exportToFormat: 'stl' });
    await shouldBeLike(exported, 'file-result');
  });

  const { CONFORMANCE_CALLBACK_URL: publicUrl, CONFORMANCE_CALLBACK_PORT: port } = process.env;
  // Another service needs a public URL of this machine.
  for (const name of isOwn || publicUrl ? ['import', 'repair', 'export'] : []) {
    it(`6: the completion of ${name} is sent to its callbackUrl, with isSuccessful as a string`, async () => {
      const receiver = await startReceiver([200], {}, Number(port ?? 0));
      try {
        const input = name === 'import' ? { fileId } : { inputId: modelId, exportToFormat: 'stl' };
        const handle = await wire.requestOk('POST', operation(name), {
          ...input,
          callbackUrl: publicUrl ?? receiver.url,
        });
        const body = await eventually('the callback was received', async () => receiver.received[0]?.body);
        await shouldBeLike(JSON.parse(body), 'callback');
        should(JSON.parse(body)).containEql({ operationId: handle.operationId, isSuccessful: 'true' });
        const status = await wire.requestOk('GET', operation(`${handle.operationId}/status`));
        should(status).have.property('isCompleted', true);
      } finally {
        await receiver.close();
      }
    });
  }

  it('5.1: the password grant requires a correct username and password', async () => {
    for (const body of ['grant_type=password&username=nobody&password=x', 'grant_type=password&username=nobody']) {
      const { clientId, clientSecret } = wire.target.account;
      const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
      const head = `POST /Token HTTP/1.1\r\nHost: ${wire.values.host}\r\nAuthorization: Basic ${basic}\r\n`;
      const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
      const reply = await wire.sendBytes(`${head}${type}Content-Length: ${body.length}\r\n\r\n${body}`);
      reply.status.should.equal(400);
      await shouldBeLike(JSON.parse(reply.body), 'token-problem');
    }
  });

  it('5.2, 5.3: a refresh token returns a new pair, once', async () => {
    const { access_token: before, refresh_token: refreshToken } = await wire.sendOk('w01-token-node');
    const renewed = await wire.sendOk('token-refresh', { refreshToken });
    await shouldBeLike(renewed, 'token');
    [before, refreshToken].should.not.containEql(renewed.access_token);
    renewed.refresh_token.should.not.equal(refreshToken);
    (await wire.send('token-refresh', { refreshToken })).status.should.equal(400);
  });

  const ENDPOINTS = [
    ['POST', 'file'],
    ['POST', 'import'],
    ['POST', 'repair'],
    ['POST', 'export'],
    ['GET', `${randomUUID()}/status`],
    ['GET', `${randomUUID()}/import/result`],
    ['GET', `${randomUUID()}/repair/result`],
    ['GET', `${randomUUID()}/export/result`],
    ['GET', `file/${randomUUID()}`],
  ] as const;
  for (const [method, path] of ENDPOINTS) {
    const name = `${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')}`;
    it(`5.3: ${name} replies with 401 without a token or with an invalid one, and accepts a valid one`, async () => {
      const body = method === 'POST' ? {} : undefined;
      (await wire.request(method, operation(path), body, '')).status.should.equal(401);
      (await wire.request(method, operation(path), body, 'wrong')).status.should.equal(401);
      should((await wire.request(method, operation(path), body)).status)
        .be.within(400, 499)
        .and.not.equal(401);
    });
  }

  it('5.3, 8: an access token is valid for 15 minutes', async () => {
    should((await wire.sendOk('w01-token-node')).expires_in).be.within(890, 900);
  });
});
