import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { listOpenFiles } from '../../helpers/active-resources.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { closeGracefully, dropAfterRequest, refuseEarly, reset } from '../../helpers/socket-faults.js';

import { HANG_TIMEOUT_MS } from '../support/client-bench.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const UPLOAD = /operation\/file$/;

describe('Client with transfer faults', () => {
  let service: FakeService;
  let client: Client;
  const { folder, reopen } = registerTransferBench((bench) => ({ service, client } = bench), {});

  /** Returns how many descriptors of this process refer to the file. */
  const countOpenFiles = (name: string) => listOpenFiles().filter((target) => target.endsWith(name)).length;

  describe('in an upload', () => {
    const send = async () => {
      const file = path.join(folder, 'part.stl');
      writeFileSync(file, Buffer.alloc(16 << 20));
      return client.upload({ path: file });
    };

    const duringBody =
      (then: Fault): Fault =>
      (request, reply) => {
        request.once('data', () => then(request, reply));
      };

    for (const [condition, fault, attemptCount] of [
      ['the connection is reset during the body', duringBody(reset), 10],
      ['the connection is closed during the body', duringBody(closeGracefully), 10],
      ['the connection is closed before the reply', dropAfterRequest, 10],
      ['the service stops reading', (request) => void request.socket.pause(), 4],
      ['the service does not reply', async (request) => void request.resume(), 4],
    ] as [string, Fault, number][]) {
      it(`retries from the start and closes the file if ${condition}`, async () => {
        const limits = { idleTimeoutMs: HANG_TIMEOUT_MS, uploadReplyTimeoutMs: HANG_TIMEOUT_MS };
        if (attemptCount === 4) await reopen({ limits });
        service.fault('POST', UPLOAD, fault);
        (await send()).should.have.property('fileId');
        service.count('POST', UPLOAD).should.equal(2);
        should(service.requests.at(-1)?.bodyBytes).be.above(16 << 20);
        countOpenFiles('part.stl').should.equal(0);
      });

      it(`fails after ${attemptCount} attempts and closes the file if ${condition} each time`, async () => {
        // Only for hangs that last: on a busy machine, a working service may be as slow.
        if (attemptCount === 4) await reopen({ limits: { idleTimeoutMs: 200, uploadReplyTimeoutMs: 300 } });
        service.fault('POST', UPLOAD, fault, 99);
        (await expectClientError(send())).code.should.equal(attemptCount === 4 ? 'TIMEOUT' : 'CONNECTION_FAILED');
        service.count('POST', UPLOAD).should.equal(attemptCount);
        countOpenFiles('part.stl').should.equal(0);
      });
    }

    it('fails with REFUSED at the first early 413', async () => {
      service.fault('POST', UPLOAD, refuseEarly(413, 'The file is too large.'), 9);
      (await expectClientError(send())).should.have.properties({ code: 'REFUSED', statusCode: 413 });
      service.count('POST', UPLOAD).should.equal(1);
      countOpenFiles('part.stl').should.equal(0);
    });

    it('fails with REFUSED at the first 413 even if the connection is closed while it sends', async () => {
      const source = new PassThrough();
      service.shouldIgnoreContinue = true;
      const refuseAndCut: Fault = ({ socket }) => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
        socket.destroy();
        // In the same tick, so that the client writes before it can read the reply.
        source.end(Buffer.alloc(1 << 20));
      };
      service.fault(
        'POST',
        UPLOAD,
        (request, reply) => void request.once('data', () => refuseAndCut(request, reply)),
        9,
      );
      source.write(Buffer.alloc(1 << 16));
      const upload = client.upload({ stream: source, filename: 'part.stl', size: (1 << 16) + (1 << 20) });
      (await expectClientError(upload)).should.have.properties({ code: 'REFUSED', statusCode: 413 });
      service.count('POST', UPLOAD).should.equal(1);
    });

    it('sends no body if the service refuses the expectation with 413', async () => {
      let bodyBytes = 0;
      service.refuseContinue((socket) => {
        socket.on('data', (bytes) => {
          bodyBytes += bytes.length;
        });
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
      }, 9);
      (await expectClientError(send())).should.have.properties({ code: 'REFUSED', statusCode: 413 });
      bodyBytes.should.equal(0);
    });

    it('fails with REFUSED if the token is revoked while it sends a stream, and gets a new token for the next one', async () => {
      const sendStream = () =>
        client.upload({ stream: Readable.from([Buffer.alloc(1 << 20)]), filename: 'part.stl', size: 1 << 20 });
      await client.describe();
      service.fault('POST', UPLOAD, refuseEarly(401, 'no'));
      const error = await expectClientError(sendStream());
      error.should.have.properties({ code: 'REFUSED', statusCode: 401 });
      error.message.should.match(
        /it had revoked the access token, and the content cannot be sent again\. Start it again\.$/,
      );
      (await sendStream()).should.have.property('fileId');
      service.count('POST', /^\/token$/i).should.equal(2);
    });

    it('fails with BAD_CREDENTIALS if the token is revoked while it sends a stream, and the account is refused', async () => {
      await client.describe();
      service.fault('POST', UPLOAD, refuseEarly(401, 'no'));
      service.fault('POST', /^\/token$/i, replyWith(401, { error: 'invalid_client' }), 9);
      const stream = Readable.from([Buffer.alloc(1 << 20)]);
      const upload = client.upload({ stream, filename: 'part.stl', size: 1 << 20 });
      (await expectClientError(upload)).code.should.equal('BAD_CREDENTIALS');
    });

    it('retries with a new token after an early 401', async () => {
      await client.describe();
      service.fault('POST', UPLOAD, refuseEarly(401, 'no'));
      (await send()).should.have.property('fileId');
      service.count('POST', UPLOAD).should.equal(2);
      service.count('POST', /^\/token$/i).should.equal(2);
    });
  });
});
