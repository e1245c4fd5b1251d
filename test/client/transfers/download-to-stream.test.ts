import { randomBytes } from 'node:crypto';
import { PassThrough, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const FILE = /operation\/file\//;
const BYTES = randomBytes(3 << 20);

/** Sends the first half of the file, then closes the connection. */
function cutInHalf(headers: Record<string, string> = {}): Fault {
  return (_request, reply) => {
    reply.writeHead(200, { 'Content-Length': String(BYTES.length), ...headers });
    reply.write(BYTES.subarray(0, BYTES.length / 2), () => reply.socket?.end());
  };
}

describe('download to a stream', () => {
  let service: FakeService;
  let client: Client;
  registerTransferBench((bench) => ({ service, client } = bench));

  it('writes the file, and does not end the stream', async () => {
    const fileId = service.addFile(BYTES, { disposition: 'attachment; filename="part.glb"' });
    const stream = new PassThrough();
    const received = buffer(stream);
    const file = await client.download(fileId, { to: 'stream', stream });
    should(file).eql({ fileId, filename: 'part.glb', size: BYTES.length, isVerified: true });
    stream.writableEnded.should.be.false();
    stream.end();
    should((await received).equals(BYTES)).be.true();
  });

  it('continues an interrupted file where it ended', async () => {
    const fileId = service.addFile(BYTES, { etag: '"one"' });
    service.fault('GET', FILE, cutInHalf({ ETag: '"one"' }));
    const stream = new PassThrough();
    const received = buffer(stream);
    await client.download(fileId, { to: 'stream', stream });
    stream.end();
    should((await received).equals(BYTES)).be.true();
  });

  it('fails if the service sends the file from its start again', async () => {
    const fileId = service.addFile(BYTES);
    service.fault('GET', FILE, cutInHalf());
    const stream = new PassThrough().resume();
    const error = await expectClientError(client.download(fileId, { to: 'stream', stream }));
    error.code.should.equal('CONNECTION_FAILED');
  });

  it('fails without a retry if the stream is closed while it takes no more bytes', async () => {
    const fileId = service.addFile(BYTES);
    const stream = new Writable({
      write: () => {
        setImmediate(() => stream.destroy());
      },
    });
    const error = await expectClientError(client.download(fileId, { to: 'stream', stream }));
    error.code.should.equal('CONNECTION_FAILED');
    error.message.should.match(/the stream that receives the file was closed/);
    service.count('GET', FILE).should.equal(1);
  });

  it('fails with NOT_FOUND before it writes if the file has expired', async () => {
    const fileId = service.addFile(BYTES);
    service.fault('GET', FILE, replyWith(410, { errors: [] }), 99);
    const stream = new PassThrough();
    const error = await expectClientError(client.download(fileId, { to: 'stream', stream }));
    error.code.should.equal('NOT_FOUND');
    stream.readableLength.should.equal(0);
  });
});

describe('operationNames', () => {
  let service: FakeService;
  let client: Client;
  registerTransferBench((bench) => ({ service, client } = bench));

  it('returns the operations in /formats, without invalid names', async () => {
    service.fault('GET', /^\/formats$/, replyWith(200, { operations: ['repair', 'preview', '<b>', 3] }));
    should(await client.operationNames()).eql(['repair', 'preview']);
  });

  it('returns an empty list if the service has no /formats', async () => {
    should(await client.operationNames()).eql([]);
  });
});
