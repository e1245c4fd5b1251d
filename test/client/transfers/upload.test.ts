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
import { dropConnection, FakeService, refusal } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';

const UPLOAD = /operation\/file$/;

describe('upload', () => {
  let service: FakeService;
  let client: Client;
  let folder: string;

  beforeEach(async () => {
    service = await FakeService.start();
    folder = mkdtempSync(path.join(os.tmpdir(), 'upload-test-'));
    mkdirSync(path.join(folder, 'spool'));
    const limits = { idleTimeoutMs: 200, uploadReplyTimeoutMs: 2000 };
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

  const file = (name: string, content: string | Buffer) => {
    const target = path.join(folder, name);
    writeFileSync(target, content);
    return target;
  };
  const pipe = (name: string) => {
    const target = path.join(folder, name);
    execFileSync('mkfifo', [target]);
    return target;
  };
  const openFiles = () => readdirSync('/proc/self/fd').length;

  const sources: [what: string, source: () => UploadSource][] = [
    ['a Buffer', () => ({ data: Buffer.from('solid x'), filename: 'part.stl' })],
    [
      'a view of other bytes',
      () => ({ data: new Uint8Array(Buffer.from('..solid x..')).subarray(2, 9), filename: 'part.stl' }),
    ],
    ['a file', () => ({ path: file('part.stl', 'solid x') })],
    [
      'a stream of known length',
      () => ({ stream: Readable.from([Buffer.from('solid'), Buffer.from(' x')]), filename: 'part.stl', size: 7 }),
    ],
    ['a stream of unknown length', () => ({ stream: Readable.from(['solid', ' x']), filename: 'part.stl' })],
  ];
  for (const [what, source] of sources) {
    it(`sends ${what} as the one part of a form, with its exact length`, async () => {
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

  it('sends large files piece by piece, and tells how far it is', async () => {
    const size = 5 * (1 << 20) + 17;
    const told: [number, number | undefined][] = [];
    await client.upload({ path: file('big.stl', Buffer.alloc(size)) }, { onProgress: (...now) => told.push(now) });
    should(service.requests.at(-1)?.bodyBytes).be.above(size);
    told.length.should.be.above(5);
    told.at(-1)?.should.eql([size, size]);
  });

  it('sends the base name alone, on one line, with quotes escaped', async () => {
    await client.upload({ data: Buffer.from('x'), filename: 'C:\\a/b\r\nX-Evil: 1"ä.stl' });
    Buffer.from(service.requests.at(-1)?.body ?? '', 'latin1')
      .toString()
      .should.containEql('filename="b X-Evil: 1%22ä.stl"');
  });

  it('follows a symbolic link to a file', async () => {
    symlinkSync(file('part.stl', 'solid x'), path.join(folder, 'link.stl'));
    (await client.upload({ path: path.join(folder, 'link.stl') })).should.have.property('fileId');
  });

  describe('fails before anything is sent', () => {
    const unreadable: [what: string, make: () => string][] = [
      ['a file that is missing', () => path.join(folder, 'missing.stl')],
      ['an empty file', () => file('empty.stl', '')],
      ['a folder', () => mkdirSync(path.join(folder, 'folder.stl'), { recursive: true }) ?? ''],
      ['a pipe that nobody writes to', () => pipe('pipe.stl')],
    ];
    for (const [what, make] of unreadable) {
      it(`with FILE_UNREADABLE: ${what}`, async () => {
        const target = make();
        const error = await expectClientError(client.upload({ path: target }));
        error.code.should.equal('FILE_UNREADABLE');
        error.message.should.containEql(target);
        service.requests.should.eql([]);
      });
    }

    for (const filename of ['', 'part', '.stl', 'part.', '..']) {
      it(`with INPUT_INVALID: the filename ${JSON.stringify(filename)}, which tells no format`, async () => {
        const error = await expectClientError(client.upload({ data: Buffer.from('x'), filename }));
        error.code.should.equal('INPUT_INVALID');
        service.requests.should.eql([]);
      });
    }
  });

  describe('takes care of a stream that breaks', () => {
    const broken = () => createReadStream(path.join(folder, 'missing.stl'));
    const closed = (stream: Readable) => stream.closed || new Promise((resolve) => stream.once('close', resolve));

    it('whose filename tells no format', async () => {
      const stream = broken();
      (await expectClientError(client.upload({ stream, filename: 'part' }))).code.should.equal('INPUT_INVALID');
      await closed(stream);
    });

    it('whose size is no number', async () => {
      const stream = broken();
      await client.upload({ stream, filename: 'part.stl', size: Number.NaN }).should.be.rejectedWith(TypeError);
      await closed(stream);
    });

    it('on a client that is closed', async () => {
      await client.close();
      const stream = broken();
      (await expectClientError(client.upload({ stream, filename: 'part.stl' }))).code.should.equal('ABORTED');
      await closed(stream);
    });
  });

  describe('is repeated from its start', () => {
    for (const [what, fault] of [
      ['when the connection breaks off', dropConnection],
      [
        'when it breaks off in the middle',
        (request, reply) => {
          request.once('data', () => reply.destroy());
        },
      ],
      [
        'when the service stops reading',
        (request) => {
          request.socket.pause();
        },
      ],
      ['after 503', refusal(503, 'later')],
      ['after 500', refusal(500, 'oops')],
      ['after an early 401', refusal(401, 'no', { Connection: 'close' })],
    ] as [string, Parameters<FakeService['fault']>[2]][]) {
      it(what, async () => {
        const source = { path: file('big.stl', Buffer.alloc(30 << 20)) };
        service.fault('POST', UPLOAD, fault);
        const before = openFiles();
        (await client.upload(source)).should.have.property('fileId');
        service.count('POST', UPLOAD).should.be.within(2, 3);
        should(service.requests.at(-1)?.bodyBytes).be.above(30 << 20);
        openFiles().should.be.belowOrEqual(before + 6);
      });
    }
  });

  it('goes on through a service that reads slowly but does read', async () => {
    // Longer in all than the line may stand still.
    service.fault('POST', UPLOAD, async (request): Promise<false> => {
      let byteCount = 0;
      for (let pauses = 0; pauses < 6; ) {
        const bytes: Buffer | null = request.read();
        byteCount += bytes?.length ?? 0;
        if (byteCount > (pauses + 1) * (3 << 20)) {
          pauses += 1;
          await new Promise((resolve) => setTimeout(resolve, 60));
        } else if (!bytes) await once(request, 'readable');
      }
      return false;
    });
    await client.upload({ data: Buffer.alloc(24 << 20), filename: 'slow.stl' });
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('does not send a stream of known length again, since it is gone', async () => {
    service.fault('POST', UPLOAD, refusal(500, 'oops'));
    const stream = Readable.from([Buffer.from('abc')]);
    const error = await expectClientError(client.upload({ stream, filename: 'part.stl', size: 3 }));
    error.code.should.equal('REFUSED');
    service.count('POST', UPLOAD).should.equal(1);
    stream.destroyed.should.be.true();
  });

  for (const [what, size] of [
    ['shorter', 5],
    ['longer', 2],
  ] as const) {
    it(`fails with FILE_UNREADABLE when a stream is ${what} than was said`, async () => {
      const stream = Readable.from([Buffer.from('abc')]);
      const error = await expectClientError(client.upload({ stream, filename: 'part.stl', size }));
      error.code.should.equal('FILE_UNREADABLE');
    });
  }

  it('fails with FILE_UNREADABLE when a stream gives objects, not bytes, or nothing at all, and names it', async () => {
    for (const [stream, reason] of [
      [Readable.from([{ x: 1 }]), 'it gives objects, not bytes'],
      [Readable.from([]), 'it is empty'],
    ] as const) {
      const error = await expectClientError(client.upload({ stream, filename: 'part.stl' }));
      error.code.should.equal('FILE_UNREADABLE');
      error.message.should.equal(`Could not read part.stl: ${reason}.`);
    }
  });

  it('fails with FILE_UNREADABLE when a stream breaks before anybody reads it', async () => {
    for (const more of [{}, { size: 3 }]) {
      const stream = createReadStream('/nowhere/part.stl');
      const error = await expectClientError(client.upload({ stream, filename: 'part.stl', ...more }));
      error.code.should.equal('FILE_UNREADABLE');
    }
  });

  it('fails with FILE_UNREADABLE when a stream breaks off', async () => {
    const broken = () =>
      new Readable({
        read() {
          this.destroy(new Error('gone'));
        },
      });
    for (const more of [{}, { size: 3 }]) {
      const error = await expectClientError(client.upload({ stream: broken(), filename: 'part.stl', ...more }));
      error.code.should.equal('FILE_UNREADABLE');
    }
  });

  it('fails with FILE_UNREADABLE when the file shrinks on the way', async () => {
    const target = file('shrinking.stl', Buffer.alloc(40 << 20));
    service.fault('POST', UPLOAD, () => {
      truncateSync(target, 1000);
      return false;
    });
    (await expectClientError(client.upload({ path: target }))).code.should.equal('FILE_UNREADABLE');
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('leaves out what is added to the file on the way', async () => {
    const target = file('growing.stl', Buffer.alloc(8 << 20));
    service.fault('POST', UPLOAD, () => {
      appendFileSync(target, 'more');
      return false;
    });
    await client.upload({ path: target });
    should(service.requests.at(-1)?.headers['content-length']).equal(String(service.requests.at(-1)?.bodyBytes));
  });

  // Of a service that breaks off at once the system may tell the broken connection first: then nobody can know more.
  it('reports a 413 that comes before all is sent, and sends no second time', async () => {
    service.fault('POST', UPLOAD, refusal(413, 'The file is too large.'), 99);
    const error = await expectClientError(client.upload({ path: file('big.stl', Buffer.alloc(20 << 20)) }));
    error.should.have.properties({ code: 'REFUSED', statusCode: 413 });
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('ends with ABORTED in the middle, and closes the file', async () => {
    const stop = new AbortController();
    const before = openFiles();
    const onProgress = (bytes: number) => {
      if (bytes > 1 << 20) stop.abort();
    };
    const source = { path: file('big.stl', Buffer.alloc(30 << 20)) };
    service.fault('POST', UPLOAD, (request) => {
      request.socket.pause();
    });
    (await expectClientError(client.upload(source, { signal: stop.signal, onProgress }))).code.should.equal('ABORTED');
    openFiles().should.be.belowOrEqual(before + 4);
  });
});
