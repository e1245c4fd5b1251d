import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import should from 'should';
import { type Client, createClient } from '../../src/client/index.js';

const EXAMPLES = path.resolve('test/contract/examples');

/** A request on the wire, with the headers that the suite compares. */
interface WireRequest {
  line: string;
  headers: Record<string, string | undefined>;
  body: string;
}

const CHECKED_HEADERS = ['authorization', 'content-type', 'content-length'];

const MODEL =
  'solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 10 0 0\nvertex 0 10 0\nendloop\nendfacet\nendsolid t\n';

// Placeholder in the examples → its value, as in the example replies.
const OPERATION_ID = '9d4f0c3a-9b7e-4d6a-8a7e-5e0f1d2c3b4a';
const FILE_ID = 'c5f0ea4b-0d2a-4f0b-b4a3-0b7cf2c4b5a8';
const MODEL_ID = '1f2e3d4c-5b6a-4798-8a9b-0c1d2e3f4a5b';
const VALUES = new Map([
  ['token', 'fbpQLbzT6lOCAmRxlFJhUPVUIvdK'],
  ['operationId', OPERATION_ID],
  ['fileId', FILE_ID],
  ['modelId', MODEL_ID],
]);

/** Reads an example request, with its placeholders replaced and its length recomputed. */
async function readExample(name: string): Promise<WireRequest> {
  const text = await readFile(path.join(EXAMPLES, 'requests', `${name}.http`), 'utf8');
  const filled = text.replace(/\{(\w+)\}/g, (placeholder, key: string) => VALUES.get(key) ?? placeholder);
  const end = filled.indexOf('\r\n\r\n');
  const [line = '', ...lines] = filled.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header): [string, string] => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const body = filled.slice(end + 4);
  return normalize({ line, headers: { ...headers, ...(body && { 'content-length': lengthOf(body) }) }, body });
}

function lengthOf(body: string) {
  return String(Buffer.byteLength(body));
}

/** Checks the Content-Length, and replaces the boundary of a multipart body, which each client chooses. */
function normalize({ line, headers, body }: WireRequest): WireRequest {
  should(headers['content-length'] ?? '0').equal(lengthOf(body));
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  const compared = Object.entries(headers).filter(([name]) => CHECKED_HEADERS.includes(name));
  const remaining = Object.fromEntries(boundary ? compared.filter(([name]) => name !== 'content-length') : compared);
  const replaceBoundary = (text: string) => (boundary ? text.replaceAll(boundary, 'B') : text);
  return { line, headers: mapValues(remaining, replaceBoundary), body: replaceBoundary(body) };
}

function mapValues(source: Record<string, string | undefined>, change: (value: string) => string) {
  return Object.fromEntries(
    Object.entries(source).map(([name, value]): [string, string] => [name, change(value ?? '')]),
  );
}

describe('the client, byte by byte', () => {
  let server: http.Server;
  let client: Client;
  const received: WireRequest[] = [];
  const replies: string[] = [];

  before(async () => {
    server = http.createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const line = `${request.method} ${request.url} HTTP/${request.httpVersion}`;
      received.push({ line, headers, body: Buffer.concat(chunks).toString('utf8') });
      const reply = await readFile(path.join(EXAMPLES, 'replies', `${replies.shift()}.json`));
      response.writeHead(200, { 'Content-Type': 'application/json;charset=UTF-8' }).end(reply);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });

  after(() => server.close());

  beforeEach(() => {
    received.length = 0;
    replies.length = 0;
    // A server that listens on a port has an AddressInfo.
    const { port } = server.address() as AddressInfo;
    const secrets = { clientId: 'app', clientSecret: 's3cr3t', username: 'test@test.com', password: 'p@ss wörd' };
    client = createClient({ account: { baseUrl: `http://127.0.0.1:${port}`, ...secrets } });
  });

  afterEach(() => client.close());

  /**
   * Calls the client, replying with a token and then `reply`. Resolves with its request after the grant and its result.
   */
  const exchange = async <T>(reply: string, call: () => Promise<T>): Promise<{ sent: WireRequest; result: T }> => {
    replies.push('token', reply);
    const result = await call();
    const [, sent] = received;
    if (!sent) throw new Error('The client sent no request after its grant.');
    return { sent: normalize(sent), result };
  };

  it('requests a token with the password grant', async () => {
    await exchange('status', () => client.status(OPERATION_ID));
    const [grant] = received;
    const expected = await readExample('w01-token-php');
    should(grant && normalize(grant)).deepEqual({ ...expected, line: 'POST /Token HTTP/1.1' });
  });

  it('uploads a file', async () => {
    const source = { data: Buffer.from(MODEL), filename: 't.stl' };
    const { sent, result } = await exchange('uploaded-file', () => client.upload(source));
    sent.should.deepEqual(await readExample('upload'));
    result.fileId.should.equal(FILE_ID);
    should(result.creationDate).equal('2016-05-20T12:13:09.1234567+00:00');
  });

  const starts: [operation: string, parameters: Record<string, unknown>][] = [
    ['import', { fileId: FILE_ID, measurementUnits: 'mm' }],
    ['repair', { inputId: MODEL_ID }],
    ['export', { inputId: MODEL_ID, exportToFormat: 'stl' }],
  ];
  for (const [operation, parameters] of starts)
    it(`starts ${operation}`, async () => {
      const { sent, result } = await exchange('operation-handle', () => client.start(operation, parameters));
      sent.should.deepEqual(await readExample(operation));
      result.should.deepEqual({ operationId: OPERATION_ID });
    });

  it('requests a status, and accepts one with the three documented fields', async () => {
    const { sent, result } = await exchange('status', () => client.status(OPERATION_ID));
    sent.should.deepEqual(await readExample('status'));
    result.should.deepEqual({ operationId: OPERATION_ID, isCompleted: true, isSuccessful: true });
  });

  const results: [operation: string, reply: string, id: string][] = [
    ['import', 'model-result', 'resultId'],
    ['repair', 'model-result', 'resultId'],
    ['export', 'file-result', 'fileId'],
  ];
  for (const [operation, reply, id] of results)
    it(`requests the result of ${operation}`, async () => {
      const { sent, result } = await exchange(reply, () => client.result(OPERATION_ID, operation));
      sent.should.deepEqual(await readExample(`${operation}-result`));
      should(result[id]).equal(id === 'fileId' ? FILE_ID : MODEL_ID);
    });

  it('downloads a file', async () => {
    const { sent } = await exchange('file-result', () => client.download(FILE_ID, { to: 'buffer' }));
    sent.should.deepEqual(await readExample('download'));
  });
});
