import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import 'should';
import type { Account, Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { neverReply } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { nextTurn } from '../../helpers/next-turn.js';
import { eventually } from '../../helpers/processes.js';
import { registerClientBench } from '../support/client-bench.js';

describe('Client', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  const { reopen } = registerClientBench((bench) => ({ service, clock, client } = bench));

  const repair = (inputId: string = randomUUID()) => client.start('repair', { inputId });

  describe('without a connection', () => {
    it('retries even a start, because nothing was sent, then rejects with an error that names the host', async () => {
      const { port } = service;
      await service.stop();
      const error = await expectClientError(repair());
      error.code.should.equal('CONNECTION_FAILED');
      error.message.should.containEql(`127.0.0.1:${port}`);
      clock.sleeps.length.should.equal(9);
      await service.listen();
    });

    it('reads the account before each attempt, and continues at a new address with a new token', async () => {
      const second = await FakeService.start();
      const accounts: Account[] = [service.account, service.account, second.account];
      let readCount = 0;
      const account = () => Promise.resolve({ ...(accounts[readCount++] ?? second.account) });
      await reopen({ account });
      await repair();
      await service.stop();
      await client.status(second.addOperation('repair'));
      second.count('POST', /Token/).should.equal(1);
      await service.listen();
      await second.stop();
    });

    it('continues at a new address if it changes during a token request to the old address', async () => {
      const second = await FakeService.start();
      let current = service.account;
      await reopen({ account: () => Promise.resolve({ ...current }) });
      service.fault('POST', /Token/, neverReply);
      const waiting = repair();
      while (service.requests.length === 0) await nextTurn();
      current = second.account;
      await repair();
      await waiting;
      second.operations.size.should.equal(2);
      await second.stop();
    });

    it('rejects with NOT_CONFIGURED and the reason if there is no account', async () => {
      await reopen({ account: () => Promise.reject(new Error('not yet')) });
      const error = await expectClientError(repair());
      error.code.should.equal('NOT_CONFIGURED');
      error.message.should.containEql('not yet');
    });

    it('rejects with TIMEOUT if no connection is established in time', async () => {
      const sockets: net.Socket[] = [];
      // Accepts TCP connections, and never replies to the TLS handshake.
      const mute = net.createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
      await once(mute, 'listening');
      const { port } = mute.address() as net.AddressInfo;
      const baseUrl = `https://127.0.0.1:${port}`;
      const limits = { connectTimeoutMs: 50, maxOutageTries: 3 };
      await reopen({ account: { ...service.account, baseUrl }, limits });
      (await expectClientError(repair())).code.should.equal('TIMEOUT');
      // The server may notice a connection after the client has given it up.
      await eventually('the server accepts three connections', () => sockets.length >= 3);
      sockets.length.should.equal(3);
      for (const socket of sockets) socket.destroy();
      mute.close();
    });

    it('rejects with CONNECTION_FAILED if a port does not support TLS', async () => {
      const baseUrl = service.account.baseUrl.replace('http:', 'https:');
      await reopen({ account: { ...service.account, baseUrl } });
      const error = await expectClientError(repair());
      error.code.should.equal('CONNECTION_FAILED');
      error.message.should.containEql('no secure connection');
      clock.sleeps.filter((ms) => ms > 0).length.should.be.belowOrEqual(9);
    });
  });
});
