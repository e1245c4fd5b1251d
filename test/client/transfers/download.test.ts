import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const FILE = /operation\/file\//;
const BYTES = randomBytes(3 << 20);

describe('download', () => {
  let service: FakeService;
  let client: Client;
  const { folder, listFolder, toFile } = registerTransferBench((bench) => ({ service, client } = bench));

  it('returns the file as a Buffer', async () => {
    const fileId = service.addFile(BYTES, { disposition: 'attachment; filename="part.stl"' });
    const { data, ...rest } = await client.download(fileId, { to: 'buffer' });
    rest.should.eql({ fileId, filename: 'part.stl', size: BYTES.length, isVerified: true });
    should(data?.equals(BYTES)).be.true();
  });

  it('creates missing folders and uses the name from Content-Disposition in a safe form', async () => {
    const fileId = service.addFile(BYTES, { disposition: 'attachment; filename="../../.evil.stl"' });
    const deep = path.join(folder, 'a', 'b');
    const file = await client.download(fileId, toFile({ folder: deep }));
    file.should.eql({
      fileId,
      filename: 'evil.stl',
      size: BYTES.length,
      isVerified: true,
      path: path.join(deep, 'evil.stl'),
    });
    readFileSync(path.join(deep, 'evil.stl')).equals(BYTES).should.be.true();
    readdirSync(deep).should.eql(['evil.stl']);
  });

  it('prefers the filename of the target, and uses the id if there is no name', async () => {
    const fileId = service.addFile(BYTES);
    (await client.download(fileId, toFile({ filename: '../mine.stl' }))).filename.should.equal('mine.stl');
    (await client.download(fileId, toFile())).filename.should.equal(fileId);
    new Set(listFolder()).should.eql(new Set([fileId, 'mine.stl']));
  });

  it('requests identity encoding and reports its progress', async () => {
    const progress: number[] = [];
    await client.download(service.addFile(BYTES), { to: 'buffer' }, { onProgress: (bytes) => progress.push(bytes) });
    should(service.requests.at(-1)?.headers['accept-encoding']).equal('identity');
    should(progress.at(-1)).equal(BYTES.length);
  });

  it('fails with INPUT_INVALID if the file exceeds the limit maxBufferBytes', async () => {
    const fileId = service.addFile(Buffer.alloc(5 << 20));
    (await expectClientError(client.download(fileId, { to: 'buffer' }))).code.should.equal('INPUT_INVALID');
  });

  it('fails with INPUT_INVALID if the file exceeds maxBytes, and accepts exactly maxBytes', async () => {
    const fileId = service.addFile(BYTES);
    const { length } = BYTES;
    const error = await expectClientError(client.download(fileId, { to: 'buffer', maxBytes: length - 1 }));
    error.code.should.equal('INPUT_INVALID');
    error.message.should.containEql(String(length - 1));
    (await client.download(fileId, { to: 'buffer', maxBytes: length })).size.should.equal(length);
  });

  it('sets isVerified to false if the reply has no Content-Length', async () => {
    service.fault('GET', FILE, (_request, reply) => {
      reply.writeHead(200, { Connection: 'close' });
      reply.useChunkedEncodingByDefault = false;
      reply.end(BYTES);
    });
    const file = await client.download(service.addFile(BYTES), toFile());
    file.isVerified.should.be.false();
    file.size.should.equal(BYTES.length);
  });

  for (const [description, fault, code] of [
    ['an error page', replyWith(500, 'oops'), 'REFUSED'],
    ['an unknown file', replyWithError(404, 'gone'), 'NOT_FOUND'],
    ['an expired file', replyWithError(410, 'gone'), 'NOT_FOUND'],
    ['a redirect', replyWith(302, '', { Location: 'http://elsewhere.test/' }), 'BAD_REPLY'],
    ['compressed bytes', replyWith(200, 'x', { 'Content-Encoding': 'gzip' }), 'BAD_REPLY'],
  ] as [string, Fault, string][]) {
    it(`fails with ${code} and writes no file for ${description}`, async () => {
      service.fault('GET', FILE, fault, 99);
      (await expectClientError(client.download(randomUUID(), toFile({ filename: 'part.stl' })))).code.should.equal(
        code,
      );
      listFolder().should.eql([]);
    });
  }

  it('fails with FILE_UNWRITABLE below a file and over a folder', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const within = toFile({ folder: path.join(folder, 'file', 'deep') });
    (await expectClientError(client.download(service.addFile(BYTES), within))).code.should.equal('FILE_UNWRITABLE');
    mkdirSync(path.join(folder, 'taken.stl'));
    const overFolder = toFile({ filename: 'taken.stl', exists: 'overwrite' });
    (await expectClientError(client.download(service.addFile(BYTES), overFolder))).code.should.equal('FILE_UNWRITABLE');
    listFolder().should.eql(['file', 'taken.stl']);
  });
});
