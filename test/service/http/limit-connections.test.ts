import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import should from 'should';
import { limitConnections } from '../../../src/service/http/limit-connections.js';
import { eventually } from '../../helpers/processes.js';

const PROXY = '198.51.100.1';
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('limitConnections', () => {
  let server: HttpServer;
  let entrance: Server;
  let addresses: string[]; // the addresses that the next connections come from
  let sockets: Socket[];

  beforeEach(async () => {
    [addresses, sockets] = [[], []];
    server = createHttpServer((request, response) => {
      if (request.url === '/') response.end('reply');
    });
    limitConnections(server, 8, (address) => address === PROXY);
    // A machine has few addresses, so the connections get theirs from the list.
    entrance = createServer((socket) => {
      Object.defineProperty(socket, 'remoteAddress', { value: addresses.shift() });
      server.emit('connection', socket);
    });
    await once(entrance.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await once(entrance.close(), 'close');
  });

  /** Connects from an address and sends a text. */
  const open = async (address: string, text: string) => {
    addresses.push(address);
    const socket = connect((entrance.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => undefined); // the server may reset it
    sockets.push(socket);
    await once(socket, 'connect');
    await eventually('the server has accepted it', () => addresses.length === 0);
    socket.write(text);
    return { socket, received: () => received };
  };

  /** Opens connections whose requests get no reply. */
  const openBusy = async (address: string, count: number) => {
    const requested = new Promise<void>((resolve) => {
      let requests = 0;
      const onRequest = (): void => {
        requests += 1;
        if (requests < count) return;
        server.off('request', onRequest);
        resolve();
      };
      server.on('request', onRequest);
    });
    for (let opened = 0; opened < count; opened++) await open(address, 'GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await requested;
  };

  const statusOf = async (address: string): Promise<string> => {
    const { received } = await open(address, REQUEST);
    await eventually('there is a reply', () => received() !== '');
    return received().slice(9, 12);
  };

  it('refuses further connections of a network with a quarter of all, but not those of others', async () => {
    await openBusy('2001:db8::1', 1);
    await openBusy('2001:db8::ffff:0:2', 1);
    should(await statusOf('2001:db8::3')).equal('503');
    should(await statusOf('2001:db8:0:1::3')).equal('200');
    should(await statusOf('203.0.113.7')).equal('200');
  });

  it('closes the idle connection of a network for its next one', async () => {
    await openBusy('203.0.113.7', 1);
    const idle = await open('203.0.113.7', '');
    should(await statusOf('203.0.113.7')).equal('200');
    await eventually('the idle one is closed', () => idle.socket.closed);
  });

  for (const address of [PROXY, '127.0.0.1', '::ffff:127.0.0.1'])
    it(`lets ${address} use all connections`, async () => {
      await openBusy(address, 8);
      should(await statusOf('203.0.113.7')).equal('503');
    });

  it('closes an idle connection of the network that has the most of them', async () => {
    const only = await open('203.0.113.7', '');
    const many: Socket[] = [];
    for (let opened = 0; opened < 7; opened++) many.push((await open(PROXY, '')).socket);
    should(await statusOf('192.0.2.1')).equal('200');
    await eventually('the longest idle one is closed', () => many[0]?.closed === true);
    should(only.socket.closed).be.false();
  });

  it('does not close a connection between two pipelined requests', async () => {
    const pipelined = await open(PROXY, `${REQUEST}GET /endless HTTP/1.1\r\nHost: a\r\n\r\n`);
    await eventually('the first has a reply', () => pipelined.received() !== '');
    await openBusy(PROXY, 7);
    should(await statusOf('192.0.2.1')).equal('503');
    should(pipelined.socket.closed).be.false();
  });
});
