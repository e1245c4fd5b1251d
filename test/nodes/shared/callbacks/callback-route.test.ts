import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import net, { type AddressInfo } from 'node:net';
import 'should';
import type { NodeAPI } from 'node-red';
import { CallbackHealth, CallbackReceiver } from '../../../../nodes/shared/callbacks/callback-receiver.js';
import { CALLBACK_PATH, registerCallbackRoute } from '../../../../nodes/shared/callbacks/callback-route.js';

const require = createRequire(import.meta.url);

describe('registerCallbackRoute', () => {
  let app: NodeAPI['httpNode'];
  let server: http.Server;
  let receiver: CallbackReceiver;
  let token: string;
  let callbackCount: number;

  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}${CALLBACK_PATH}`;

  beforeEach(async () => {
    // The express of Node-RED, which creates `RED.httpNode`.
    app = require(require.resolve('express', { paths: [require.resolve('node-red')] }))();
    server = http.createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver = new CallbackReceiver();
    registerCallbackRoute(app, receiver);
    const expected = receiver.expect(new CallbackHealth(() => undefined), 'config');
    expected.bind('operation');
    token = expected.token;
    callbackCount = 0;
    receiver.sourceFor('operation')?.listen(() => {
      callbackCount += 1;
    });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('replies 204 to POST, PUT and GET with any body', async () => {
    const body = JSON.stringify({ operationId: 'another', isSuccessful: 'perhaps' });
    for (const request of [{ method: 'POST', body }, { method: 'PUT', body: '{' }, { method: 'GET' }])
      (await fetch(address() + token, request)).status.should.equal(204);
    callbackCount.should.equal(3);
  });

  it('replies 410 to unknown tokens', async () => {
    for (const unknown of ['0'.repeat(32), 'x', '__proto__', '%00'])
      (await fetch(address() + unknown, { method: 'POST' })).status.should.equal(410);
    callbackCount.should.equal(0);
  });

  it('replies 410 once the URL is withdrawn', async () => {
    receiver.withdraw({ operationId: 'operation' });
    (await fetch(address() + token, { method: 'POST' })).status.should.equal(410);
    callbackCount.should.equal(0);
  });

  it('replies and closes the connection if a body exceeds 16 KiB', async () => {
    const { port } = server.address() as AddressInfo;
    const socket = net.connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.on('error', () => undefined); // the connection is closed while it sends
    const closed = new Promise((resolve) => socket.once('close', resolve)); // `once` would reject after a reset
    socket.write(`POST ${CALLBACK_PATH}${token} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n`);
    await once(socket, 'data');
    const sending = () => socket.write(Buffer.alloc(64 << 10), (error) => error ?? setImmediate(sending));
    sending();
    await closed;
    answer.should.startWith('HTTP/1.1 204');
  });
});
