import { appendFileSync, createReadStream, truncateSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const UPLOAD = /operation\/file$/;

describe('upload', () => {
  let service: FakeService;
  let client: Client;
  const { folder, createFile } = registerTransferBench((bench) => ({ service, client } = bench));

  describe('handles the error of a stream', () => {
    const createFailingStream = () => createReadStream(path.join(folder, 'missing.stl'));
    const closed = (stream: Readable) => stream.closed || new Promise((resolve) => stream.once('close', resolve));

    it('with a filename without an extension', async () => {
      const stream = createFailingStream();
      (await expectClientError(client.upload({ stream, filename: 'part' }))).code.should.equal('INPUT_INVALID');
      await closed(stream);
    });

    it('with an invalid size', async () => {
      const stream = createFailingStream();
      await client.upload({ stream, filename: 'part.stl', size: Number.NaN }).should.be.rejectedWith(TypeError);
      await closed(stream);
    });

    it('if the client is closed', async () => {
      await client.close();
      const stream = createFailingStream();
      (await expectClientError(client.upload({ stream, filename: 'part.stl' }))).code.should.equal('ABORTED');
      await closed(stream);
    });
  });

  for (const [comparison, size] of [
    ['shorter', 5],
    ['longer', 2],
  ] as const) {
    it(`fails with FILE_UNREADABLE if a stream is ${comparison} than its size`, async () => {
      const stream = Readable.from([Buffer.from('abc')]);
      const error = await expectClientError(client.upload({ stream, filename: 'part.stl', size }));
      error.code.should.equal('FILE_UNREADABLE');
    });
  }

  it('fails with FILE_UNREADABLE and the filename if a stream yields objects or is empty', async () => {
    for (const [stream, reason] of [
      [Readable.from([{ x: 1 }]), 'the stream yields objects instead of bytes'],
      [Readable.from([]), 'it is empty'],
    ] as const) {
      const error = await expectClientError(client.upload({ stream, filename: 'part.stl' }));
      error.code.should.equal('FILE_UNREADABLE');
      error.message.should.equal(`Could not read part.stl: ${reason}.`);
    }
  });

  it('fails with FILE_UNREADABLE if a stream fails before it is read', async () => {
    for (const options of [{}, { size: 3 }]) {
      const stream = createReadStream('/nowhere/part.stl');
      const error = await expectClientError(client.upload({ stream, filename: 'part.stl', ...options }));
      error.code.should.equal('FILE_UNREADABLE');
    }
  });

  it('fails with FILE_UNREADABLE if a stream fails while it is read', async () => {
    const createFailingStream = () =>
      new Readable({
        read() {
          this.destroy(new Error('gone'));
        },
      });
    for (const options of [{}, { size: 3 }]) {
      const stream = createFailingStream();
      const error = await expectClientError(client.upload({ stream, filename: 'part.stl', ...options }));
      error.code.should.equal('FILE_UNREADABLE');
    }
  });

  it('fails with FILE_UNREADABLE if the file shrinks during the upload', async () => {
    const target = createFile('shrinking.stl', Buffer.alloc(40 << 20));
    service.fault('POST', UPLOAD, () => {
      truncateSync(target, 1000);
      return false;
    });
    (await expectClientError(client.upload({ path: target }))).code.should.equal('FILE_UNREADABLE');
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('ignores bytes that are appended to the file during the upload', async () => {
    const target = createFile('growing.stl', Buffer.alloc(8 << 20));
    service.fault('POST', UPLOAD, () => {
      appendFileSync(target, 'more');
      return false;
    });
    await client.upload({ path: target });
    should(service.requests.at(-1)?.headers['content-length']).equal(String(service.requests.at(-1)?.bodyBytes));
  });
});
