import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import should from 'should';
import type { RunningService } from '../../../src/service/serve.js';
import { eventually } from '../../helpers/processes.js';
import type { Calls } from '../support/account.js';
import { useFolder } from '../support/data-folder.js';
import { CUBE } from '../support/models.js';
import { startUpload } from '../support/partial-upload.js';
import { startService } from '../support/running.js';
import { addSignedInUser } from '../support/users.js';

const BODY = `--b\r\nContent-Disposition: form-data; name="file"; filename="cube.stl"\r\n\r\n${CUBE}\r\n--b--\r\n`;

/** A connection, what it received, and whether the service has closed it. */
interface Connection {
  socket: Socket;
  received: () => string;
  closed: Promise<unknown>;
}

describe('The limits of connections', () => {
  let folder: string;
  let service: RunningService;
  let ann: Calls;
  let bob: Calls;
  let drips: NodeJS.Timeout[];
  let sockets: Socket[];

  const start = async (limits: {
    headersTimeoutMs?: number;
    bodyTimeoutMs?: number;
    maxConnections?: number;
    maxUploadsPerUser?: number;
  }) => {
    service = await startService(folder, { limits: { rejectedUploadDrainMs: 200, ...limits } });
  };

  /** Adds both users with their tokens: a request for one could exceed the limits. */
  const addBoth = async (): Promise<void> => {
    ann = await addSignedInUser(folder, 'ann');
    bob = await addSignedInUser(folder, 'bob');
  };

  const open = async (text = ''): Promise<Connection> => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    sockets.push(socket);
    let received = '';
    socket.on('error', () => undefined); // the service may reset it
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve)); // `once` would reject after a reset
    await once(socket, 'connect');
    socket.write(text);
    return { socket, received: () => received, closed };
  };

  /** Sends a byte at a time for as long as the connection is open. */
  const drip = ({ socket }: Connection, text: string): void => {
    let position = 0;
    const timer = setInterval(() => {
      if (socket.writable && position < text.length) socket.write(text[position++] ?? '');
    }, 20);
    drips.push(timer);
  };

  useFolder((created) => (folder = created));

  beforeEach(() => {
    [drips, sockets] = [[], []];
  });

  afterEach(async () => {
    for (const timer of drips) clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    await service.close();
  });

  it('end a connection without a request, and one whose headers do not end', async () => {
    await start({ headersTimeoutMs: 200 });
    const idle = await open();
    const slow = await open('GET /healthz HTTP/1.1\r\nHost: a\r\n');
    drip(slow, `X: ${'x'.repeat(10_000)}`);
    await Promise.all([idle.closed, slow.closed]);
    slow.received().should.match(/^HTTP\/1\.1 408 [\s\S]*"code":40800/);
  });

  it('end bodies that drip, with and without a token, at any route but an upload', async () => {
    await start({ bodyTimeoutMs: 300 });
    await addBoth();
    const header = 'Host: a\r\nContent-Length: 10000\r\nContent-Type: application/json\r\n';
    const requests = [
      `POST /Token HTTP/1.1\r\n${header}\r\n`,
      `GET /healthz HTTP/1.1\r\n${header}\r\n`,
      `POST /web-api/operation/import HTTP/1.1\r\n${header}\r\n`,
      `POST /web-api/operation/import HTTP/1.1\r\n${header}Authorization: Bearer ${bob.token}\r\n\r\n`,
      `POST /web-api/operation/file HTTP/1.1\r\n${header}\r\n`,
    ];
    const statuses = [408, 200, 401, 408, 401];
    for (const [index, request] of requests.entries()) {
      const connection = await open(request);
      drip(connection, 'x'.repeat(10_000));
      await connection.closed;
      connection.received().should.startWith(`HTTP/1.1 ${statuses[index]} `, request);
    }
  });

  it('let an upload take its time', async () => {
    await start({ bodyTimeoutMs: 100 });
    await addBoth();
    const head = [
      'POST /web-api/operation/file HTTP/1.1',
      'Host: a',
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${BODY.length}`,
      `Authorization: Bearer ${ann.token}`,
    ];
    const slow = await open(`${head.join('\r\n')}\r\n\r\n${BODY.slice(0, -20)}`);
    drip(slow, BODY.slice(-20)); // 400 ms
    should((await bob.upload(CUBE, 'cube.stl')).status).equal(200);
    await eventually('the upload has a reply', () => slow.received().includes('\r\n\r\n'));
    slow.received().should.match(/^HTTP\/1\.1 200 [\s\S]*"fileId"/);
  });

  it('refuse further uploads of a user with 429 and Retry-After, but not those of another one', async () => {
    await start({ maxUploadsPerUser: 2 });
    await addBoth();
    const used = [startUpload(ann, 1000), startUpload(ann, 1000)];
    await eventually('a further upload is refused', async () => (await ann.upload(CUBE, 'cube.stl')).status === 429);
    const refused = await ann.upload(CUBE, 'cube.stl');
    should(refused).match({ status: 429, body: { errors: [{ code: 42902 }] } });
    should(refused.headers.get('retry-after')).equal('1');
    should((await bob.upload(CUBE, 'cube.stl')).status).equal(200);
    used[0]?.hangUp();
    await eventually('there is room', async () => (await ann.upload(CUBE, 'cube.stl')).status === 200);
    used[1]?.hangUp();
  });

  const openMany = async (count: number, text = ''): Promise<Connection[]> => {
    const connections: Connection[] = [];
    while (connections.length < count) connections.push(await open(text));
    return connections;
  };

  it('refuse further connections with 503 and Retry-After while all have requests', async () => {
    await start({ maxConnections: 3 });
    const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    ann = await addSignedInUser(folder, 'ann');
    const head = `Host: a\r\nAuthorization: Bearer ${ann.token}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n`;
    const busy = await openMany(3, `POST /web-api/operation/import HTTP/1.1\r\n${head}\r\n`);
    for (const { received } of busy)
      await eventually('its body is expected', () => received().startsWith('HTTP/1.1 100 '));
    const refused = await open(request);
    await refused.closed;
    refused.received().should.match(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n[\s\S]*"code":50303/);
    busy[0]?.socket.destroy();
    await eventually('a new one has a reply', async () => {
      const connection = await open(request);
      await eventually('it has a reply', () => connection.received() !== '');
      return connection.received().startsWith('HTTP/1.1 200 ');
    });
  });

  it('close the connection that is idle for longest where a further one needs room', async () => {
    await start({ maxConnections: 20 });
    const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const kept = await open(request);
    await eventually('it has a reply', () => kept.received() !== '');
    const silent = await openMany(12);
    const halfSent = await openMany(7, 'GET /healthz HTTP/1.1\r\nHost: ');
    for (let count = 0; count < 13; count++) {
      const other = await open(request);
      await eventually('the further one has a reply', () => other.received().startsWith('HTTP/1.1 200 '));
    }
    await Promise.all([kept.closed, ...silent.map(({ closed }) => closed)]);
    for (const { socket } of halfSent) should(socket.closed).be.false();
  });

  it('answer a client beside 1,000 idle connections of another one', async () => {
    await start({});
    await openMany(1_000);
    const other = await open('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('it has a reply', () => other.received() !== '');
    other.received().should.startWith('HTTP/1.1 200 ');
  });
});
