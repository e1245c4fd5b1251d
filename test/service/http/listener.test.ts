import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import should from 'should';
import { limitConnections } from '../../../src/service/http/limit-connections.js';
import { createListener, type Listener } from '../../../src/service/http/listener.js';
import { eventually } from '../../helpers/processes.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a listener on localhost with two addresses', () => {
  let app: FastifyInstance;
  let listener: Listener;
  let port: number;
  let runningCount: number;

  beforeEach(async () => {
    app = fastify({ forceCloseConnections: false });
    app.get('/', () => 'reply');
    runningCount = 0;
    app.get('/endless', () => {
      runningCount += 1;
      return new Promise(() => undefined);
    });
    limitConnections(app.server, 2);
    listener = createListener(app, async () => ['127.0.0.1', '127.0.0.2']);
    port = await listener.listen('localhost', 0);
  });

  afterEach(() => listener.close());

  /** Sends a request to an address. Resolves when it has a reply. */
  const send = async (address: string): Promise<{ socket: Socket; reply: string }> => {
    const socket = connect(port, address);
    socket.setEncoding('utf8').write(REQUEST);
    const [reply] = await once(socket, 'data');
    return { socket, reply };
  };

  it('limits the connections to both together', async () => {
    const used = ['127.0.0.1', '127.0.0.2'].map((address) => connect(port, address));
    for (const socket of used) socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('both are running', () => runningCount === 2);
    for (const address of ['127.0.0.1', '127.0.0.2']) (await send(address)).reply.should.startWith('HTTP/1.1 503 ');
    used[1]?.destroy();
    await eventually('a new one has a reply', async () => (await send('127.0.0.1')).reply.startsWith('HTTP/1.1 200 '));
    app.server.closeAllConnections();
  });

  it('ends the idle connections to both when it closes, and accepts no further ones', async () => {
    const used = [await send('127.0.0.1'), await send('127.0.0.2')];
    const closed = used.map(({ socket }) => once(socket, 'close'));
    await listener.close();
    await Promise.all(closed);
    for (const address of ['127.0.0.1', '127.0.0.2']) {
      const [error] = await once(connect(port, address), 'error');
      should(error).match({ code: 'ECONNREFUSED' });
    }
  });

  it('ends the running requests to both with all connections of the server', async () => {
    const used = ['127.0.0.1', '127.0.0.2'].map((address) => connect(port, address));
    for (const socket of used) socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('both are running', () => runningCount === 2);
    const closed = used.map((socket) => once(socket, 'close'));
    const closing = listener.close();
    app.server.closeAllConnections();
    await Promise.all([closing, ...closed]);
  });
});
