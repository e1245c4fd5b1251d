import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import 'should';
import { type Client, createClient } from '../../src/client/index.js';
import { expectClientError } from '../helpers/expect-client-error.js';
import { FakeService } from '../helpers/fake-service.js';

describe('a client on a disk of 4 MiB', () => {
  let disk: string;
  let service: FakeService;
  let client: Client;

  beforeEach(async () => {
    disk = mkdtempSync(path.join(os.tmpdir(), 'small-disk-client-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    service = await FakeService.start();
    client = createClient({ account: service.account, spoolDir: disk });
  });
  afterEach(async () => {
    await client.close();
    await service.stop();
    execFileSync('umount', ['--lazy', disk]);
    rmdirSync(disk);
  });

  it('fails a download that does not fit with DISK_FULL, and leaves no part of it', async () => {
    const fileId = service.addFile(Buffer.alloc(8 << 20));
    const error = await expectClientError(client.download(fileId, { to: 'file', folder: disk, filename: 'part.stl' }));
    error.code.should.equal('DISK_FULL');
    readdirSync(disk).should.be.empty();
    service.count('GET', /file/).should.equal(1);
  });

  it('fails the upload of a stream that does not fit with DISK_FULL, and leaves no part of it', async () => {
    const stream = Readable.from(Array.from({ length: 8 }, () => Buffer.alloc(1 << 20)));
    const error = await expectClientError(client.upload({ stream, filename: 'part.stl' }));
    error.code.should.equal('DISK_FULL');
    error.message.should.startWith(`Could not write part.stl to the spool folder ${disk}: the disk is full (ENOSPC).`);
    readdirSync(disk).should.be.empty();
    service.requests.should.be.empty();
  });
});
