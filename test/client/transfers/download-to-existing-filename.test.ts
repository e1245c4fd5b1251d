import { randomBytes } from 'node:crypto';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const BYTES = randomBytes(3 << 20);

describe('download', () => {
  let service: FakeService;
  let client: Client;
  const { folder, listFolder, toFile } = registerTransferBench((bench) => ({ service, client } = bench));

  describe('to an existing filename', () => {
    beforeEach(() => writeFileSync(path.join(folder, 'part.stl'), 'old'));
    const fetch = (exists?: 'rename' | 'overwrite' | 'fail') =>
      client.download(service.addFile(BYTES), toFile({ filename: 'part.stl', ...(exists && { exists }) }));

    it('adds a number to the new name by default', async () => {
      (await fetch()).filename.should.equal('part-2.stl');
      (await fetch('rename')).filename.should.equal('part-3.stl');
      readFileSync(path.join(folder, 'part.stl'), 'utf8').should.equal('old');
    });

    it('uses a different name for each of 20 concurrent downloads', async () => {
      const files = await Promise.all(Array.from({ length: 20 }, () => fetch()));
      new Set(files.map((file) => file.path)).size.should.equal(20);
      listFolder().length.should.equal(21);
    });

    it('replaces the file if exists is overwrite', async () => {
      (await fetch('overwrite')).filename.should.equal('part.stl');
      readFileSync(path.join(folder, 'part.stl')).equals(BYTES).should.be.true();
      listFolder().should.eql(['part.stl']);
    });

    it('fails with FILE_EXISTS before any request if exists is fail', async () => {
      (await expectClientError(fetch('fail'))).code.should.equal('FILE_EXISTS');
      service.requests.should.eql([]);
      listFolder().should.eql(['part.stl']);
    });

    it('fails with FILE_EXISTS if the name is sent by the service', async () => {
      const fileId = service.addFile(BYTES, { disposition: 'attachment; filename=part.stl' });
      (await expectClientError(client.download(fileId, toFile({ exists: 'fail' })))).code.should.equal('FILE_EXISTS');
      listFolder().should.eql(['part.stl']);
    });

    it('replaces a symbolic link but not its target', async () => {
      symlinkSync(path.join(folder, 'part.stl'), path.join(folder, 'link.stl'));
      await client.download(service.addFile(BYTES), toFile({ filename: 'link.stl', exists: 'overwrite' }));
      readFileSync(path.join(folder, 'part.stl'), 'utf8').should.equal('old');
    });
  });
});
