import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { registerClientBench } from '../support/client-bench.js';

const STATUS = /\/status$/;

describe('Client', () => {
  let service: FakeService;
  let client: Client;
  registerClientBench((bench) => ({ service, client } = bench));

  describe('rejects an invalid reply', () => {
    const operationId = randomUUID();
    const readStatus = async (fault: Fault) => {
      service.fault('GET', STATUS, fault, 99);
      return expectClientError(client.status(operationId));
    };

    it('longer than 1 MiB', async () => {
      (await readStatus(replyWith(200, { operationId, padding: 'x'.repeat(1 << 20) }))).message.should.containEql(
        'longer than 1048576',
      );
    });

    it('that is compressed, because no encoding was accepted', async () => {
      const bomb = gzipSync(Buffer.alloc(1 << 22));
      const headers = { 'Content-Encoding': 'gzip' };
      (
        await readStatus((_request, reply) => {
          reply.writeHead(200, headers).end(bomb);
        })
      ).code.should.equal('BAD_REPLY');
    });

    it('that is nested too deeply', async () => {
      (await readStatus(replyWith(200, '['.repeat(500_000)))).code.should.equal('BAD_REPLY');
    });

    it('that is a redirect, naming its host, to which nothing is sent', async () => {
      const other = await FakeService.start();
      const error = await readStatus(replyWith(302, '', { Location: `${other.account.baseUrl}/x` }));
      error.code.should.equal('BAD_REPLY');
      error.message.should.containEql(`127.0.0.1:${other.port}`);
      service.count('GET', STATUS).should.equal(1);
      other.requests.should.eql([]);
      await other.stop();
    });

    it('but only drops keys that could modify a prototype', async () => {
      const text = `{"operationId":"${operationId}","resultId":"${operationId}","__proto__":{"polluted":true}}`;
      service.fault('GET', /result$/, replyWith(200, text));
      const result = await client.result(operationId, 'repair');
      Object.keys(result).should.eql(['operationId', 'resultId']);
      should(Object.assign({}, result)).not.have.property('polluted');
    });

    it('without a required field, naming the field', async () => {
      service.fault('GET', /result$/, replyWith(200, { operationId }), 99);
      (await expectClientError(client.result(operationId, 'repair'))).message.should.containEql('"resultId"');
    });

    it('but not one with a byte order mark', async () => {
      const text = `\uFEFF${JSON.stringify({ operationId, isCompleted: true, isSuccessful: true })}`;
      service.fault('GET', STATUS, replyWith(200, text));
      (await client.status(operationId)).isCompleted.should.be.true();
    });
  });
});
