import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import should from 'should';
import { type Client, createClient, type UploadSource } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, replyWithError } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const UPLOAD = /operation\/file$/;
/** Longer than a busy machine holds up a process. */
const IDLE_TIMEOUT_MS = 2_000;

describe('upload', () => {
  let service: FakeService;
  let client: Client;
  let folder: string;

  beforeEach(async () => {
    service = await FakeService.start();
    folder = mkdtempSync(path.join(os.tmpdir(), 'upload-test-'));
    mkdirSync(path.join(folder, 'spool'));
    const limits = { idleTimeoutMs: IDLE_TIMEOUT_MS };
    client = createClient({
      account: service.account,
      tempDir: path.join(folder, 'spool'),
      limits,
      ...new InstantClock(),
    });
  });

  afterEach(async () => {
    await client.close();
    await service.stop();
    readdirSync(path.join(folder, 'spool')).should.eql([]);
    rmSync(folder, { recursive: true });
  });

  const createFile = (name: string, content: string | Buffer) => {
    const target = path.join(folder, name);
    writeFileSync(target, content);
    return target;
  };
  const createPipe = (name: string) => {
    const target = path.join(folder, name);
    execFileSync('mkfifo', [target]);
    return target;
  };
  const countOpenFiles = () => readdirSync('/proc/self/fd').length;

  const sources: [description: string, source: () => UploadSource][] = [
    ['a Buffer', () => ({ data: Buffer.from('solid x'), filename: 'part.stl' })],
    [
      'a view of a larger buffer',
      () => ({ data: new Uint8Array(Buffer.from('..solid x..')).subarray(2, 9), filename: 'part.stl' }),
    ],
    ['a file', () => ({ path: createFile('part.stl', 'solid x') })],
    [
      'a stream of known length',
      () => ({ stream: Readable.from([Buffer.from('solid'), Buffer.from(' x')]), filename: 'part.stl', size: 7 }),
    ],
    ['a stream of unknown length', () => ({ stream: Readable.from(['solid', ' x']), filename: 'part.stl' })],
  ];
  for (const [description, source] of sources) {
    it(`sends ${description} as the only part of a form, with the exact Content-Length`, async () => {
      const uploaded = await client.upload(source());
      uploaded.should.have.keys('fileId', 'creationDate', 'fileUrl');
      const request = service.requests.at(-1);
      const boundary = /boundary=(.+)$/.exec(request?.headers['content-type'] ?? '')?.[1];
      should(request?.body).equal(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="part.stl"\r\nContent-Type: model/stl\r\n\r\nsolid x\r\n--${boundary}--\r\n`,
      );
      should(request?.headers['content-length']).equal(String(request?.bodyBytes));
    });
  }

  it('sends large files in chunks and reports its progress', async () => {
    const size = 5 * (1 << 20) + 17;
    const progress: [number, number | undefined][] = [];
    const onProgress = (...values: [number, number | undefined]) => progress.push(values);
    await client.upload({ path: createFile('big.stl', Buffer.alloc(size)) }, { onProgress });
    should(service.requests.at(-1)?.bodyBytes).be.above(size);
    progress.length.should.be.above(5);
    progress.at(-1)?.should.eql([size, size]);
  });

  it('sends only the base name, without line breaks and with escaped quotes', async () => {
    await client.upload({ data: Buffer.from('x'), filename: 'C:\\a/b\r\nX-Evil: 1"ä.stl' });
    Buffer.from(service.requests.at(-1)?.body ?? '', 'latin1')
      .toString()
      .should.containEql('filename="b X-Evil: 1%22ä.stl"');
  });

  it('follows a symbolic link to a file', async () => {
    symlinkSync(createFile('part.stl', 'solid x'), path.join(folder, 'link.stl'));
    (await client.upload({ path: path.join(folder, 'link.stl') })).should.have.property('fileId');
  });

  describe('fails before it sends a request', () => {
    const unreadable: [description: string, create: () => string][] = [
      ['a missing file', () => path.join(folder, 'missing.stl')],
      ['an empty file', () => createFile('empty.stl', '')],
      ['a folder', () => mkdirSync(path.join(folder, 'folder.stl'), { recursive: true }) ?? ''],
      ['a pipe without a writer', () => createPipe('pipe.stl')],
    ];
    for (const [description, create] of unreadable) {
      it(`with FILE_UNREADABLE for ${description}`, async () => {
        const target = create();
        const error = await expectClientError(client.upload({ path: target }));
        error.code.should.equal('FILE_UNREADABLE');
        error.message.should.containEql(target);
        service.requests.should.eql([]);
      });
    }

    for (const filename of ['', 'part', '.stl', 'part.', '..']) {
      it(`with INPUT_INVALID for the filename ${JSON.stringify(filename)}, which has no extension`, async () => {
        const error = await expectClientError(client.upload({ data: Buffer.from('x'), filename }));
        error.code.should.equal('INPUT_INVALID');
        service.requests.should.eql([]);
      });
    }
  });

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
          await new Promise((resolve) => setTimeout(resolve, IDLE_TIMEOUT_MS / 5));
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
