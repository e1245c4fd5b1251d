import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { HANG_TIMEOUT_MS } from '../support/client-bench.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const UPLOAD = /operation\/file$/;

describe('upload', () => {
  let service: FakeService;
  let client: Client;
  const { createFile } = registerTransferBench((bench) => ({ service, client } = bench));

  const countOpenFiles = () => readdirSync('/proc/self/fd').length;

  describe('is repeated from the start', () => {
    for (const [condition, fault] of [
      ['if the connection is lost', dropConnection],
      [
        'if the connection is lost during the body',
        (request, reply) => {
          request.once('data', () => reply.destroy());
        },
      ],
      [
        'if the service stops reading',
        (request) => {
          request.socket.pause();
        },
      ],
      ['after 503', replyWithError(503, 'later')],
      ['after 500', replyWithError(500, 'oops')],
      ['after an early 401', replyWithError(401, 'no', { Connection: 'close' })],
    ] as [string, Parameters<FakeService['fault']>[2]][]) {
      it(condition, async () => {
        const source = { path: createFile('big.stl', Buffer.alloc(30 << 20)) };
        service.fault('POST', UPLOAD, fault);
        const previousCount = countOpenFiles();
        (await client.upload(source)).should.have.property('fileId');
        service.count('POST', UPLOAD).should.be.within(2, 3);
        should(service.requests.at(-1)?.bodyBytes).be.above(30 << 20);
        countOpenFiles().should.be.belowOrEqual(previousCount + 6);
      });
    }
  });

  it('continues while the service reads slowly', async () => {
    // The upload takes longer than the idle timeout.
    service.fault('POST', UPLOAD, async (request): Promise<false> => {
      let byteCount = 0;
      for (let pauses = 0; pauses < 6; ) {
        const bytes: Buffer | null = request.read();
        byteCount += bytes?.length ?? 0;
        if (byteCount > (pauses + 1) * (3 << 20)) {
          pauses += 1;
          await new Promise((resolve) => setTimeout(resolve, HANG_TIMEOUT_MS / 5));
        } else if (!bytes) await once(request, 'readable');
      }
      return false;
    });
    await client.upload({ data: Buffer.alloc(24 << 20), filename: 'slow.stl' });
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('does not retry a stream of known length, which can be read only once', async () => {
    service.fault('POST', UPLOAD, replyWithError(500, 'oops'));
    const stream = Readable.from([Buffer.from('abc')]);
    const error = await expectClientError(client.upload({ stream, filename: 'part.stl', size: 3 }));
    error.code.should.equal('REFUSED');
    service.count('POST', UPLOAD).should.equal(1);
    stream.destroyed.should.be.true();
  });

  // If a service closes the connection at once, the operating system may report the lost connection before the reply.
  it('fails with REFUSED at the first 413 that arrives before the body is sent', async () => {
    service.fault('POST', UPLOAD, replyWithError(413, 'The file is too large.'), 99);
    const error = await expectClientError(client.upload({ path: createFile('big.stl', Buffer.alloc(20 << 20)) }));
    error.should.have.properties({ code: 'REFUSED', statusCode: 413 });
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('throws ABORTED during the transfer and closes the file', async () => {
    const controller = new AbortController();
    const previousCount = countOpenFiles();
    const onProgress = (bytes: number) => {
      if (bytes > 1 << 20) controller.abort();
    };
    const source = { path: createFile('big.stl', Buffer.alloc(30 << 20)) };
    service.fault('POST', UPLOAD, (request) => {
      request.socket.pause();
    });
    (await expectClientError(client.upload(source, { signal: controller.signal, onProgress }))).code.should.equal(
      'ABORTED',
    );
    countOpenFiles().should.be.belowOrEqual(previousCount + 4);
  });
});
