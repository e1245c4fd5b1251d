import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import 'should';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { findOwnAddress } from '../../../../nodes/shared/callbacks/own-address.js';

describe('findOwnAddress', () => {
  let server: http.Server;

  afterEach(() => server.close());

  const listen = async (host: string, created: http.Server = http.createServer()): Promise<number> => {
    server = created.listen(0, host);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const find = (settings: object = {}) =>
    // Only these two properties are read.
    findOwnAddress({ server, settings } as unknown as NodeAPI);

  it('returns the loopback URL of the callback route for a server on all interfaces', async () => {
    const port = await listen('0.0.0.0');
    should(find()).equal(`http://127.0.0.1:${port}/model-processing/callback/`);
    should(find({ httpNodeRoot: '/api/' })).equal(`http://127.0.0.1:${port}/api/model-processing/callback/`);
  });

  it('returns the address of a server on a loopback address', async () => {
    const port = await listen('127.0.0.2');
    should(find()).equal(`http://127.0.0.2:${port}/model-processing/callback/`);
  });

  it('returns undefined before the server listens', () => {
    server = http.createServer();
    should(find()).be.undefined();
  });

  it('returns undefined for TLS, a login, no HTTP for nodes, and no server', async () => {
    await listen('127.0.0.1', https.createServer());
    should(find()).be.undefined();
    server.close();
    await listen('127.0.0.1');
    should(find({ httpNodeAuth: { user: 'me', pass: '' } })).be.undefined();
    should(find({ httpNodeRoot: false })).be.undefined();
    should(findOwnAddress({ settings: {} } as unknown as NodeAPI)).be.undefined();
  });

  it('returns undefined for a socket file and for one external address', async () => {
    server = http.createServer().listen(path.join(os.tmpdir(), `own-address-${process.pid}.sock`));
    await once(server, 'listening');
    should(find()).be.undefined();
    const external = Object.assign(http.createServer(), {
      address: () => ({ address: '192.168.1.20', family: 'IPv4', port: 1880 }),
    });
    should(findOwnAddress({ server: external, settings: {} } as unknown as NodeAPI)).be.undefined();
  });
});
