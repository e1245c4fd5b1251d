import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import should from 'should';
import { type Client, ClientError, type UploadSource } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

/** The text "solid x" as chunks of another realm. */
const CHUNKS =
  '[new Uint8Array([115, 111, 108]), new Uint8Array([105, 100, 32]).buffer, new DataView(Uint8Array.of(120).buffer)]';

describe('upload', () => {
  let service: FakeService;
  let client: Client;
  const { folder, createFile } = registerTransferBench((bench) => ({ service, client } = bench));

  const createPipe = (name: string) => {
    const target = path.join(folder, name);
    execFileSync('mkfifo', [target]);
    return target;
  };

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
    [
      'a stream of bytes that a function node of Node-RED created',
      () => ({ stream: Readable.from(runInNewContext(CHUNKS)), filename: 'part.stl' }),
    ],
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

  it('opens the file of a path by the function of the caller, once, and closes it', async () => {
    const handles: FileHandle[] = [];
    const openOther = async () => {
      const handle = await open(createFile('other.stl', 'solid other'));
      handles.push(handle);
      return handle;
    };
    await client.upload({ path: path.join(folder, 'part.stl'), open: openOther });
    const { body } = service.requests.at(-1) ?? { body: '' };
    body.should.containEql('solid other').and.containEql('filename="part.stl"');
    handles.map(({ fd }) => fd).should.eql([-1]);
  });

  it('fails with the error of that function', async () => {
    const refuse = () => Promise.reject(new ClientError('INPUT_INVALID', 'Refused.'));
    const error = await expectClientError(client.upload({ path: path.join(folder, 'part.stl'), open: refuse }));
    error.message.should.equal('Refused.');
    service.requests.should.eql([]);
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
});
