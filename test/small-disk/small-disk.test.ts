import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import { openSpareFile } from '../../src/service/blobs/spare-file.js';
import { MIN_FREE_DISK_BYTES, SPARE_BYTES } from '../../src/service/defaults.js';
import { createLogger } from '../../src/service/logger.js';
import type { RunningService } from '../../src/service/serve.js';
import { eventually, findKernelProcesses } from '../helpers/processes.js';
import { askForToken, type Calls, callsWith, logIn } from '../service/support/account.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { sphere } from '../service/support/models.js';
import { KERNEL_PROGRAM, readCredentials, startService } from '../service/support/running.js';
import { listTemporaryFiles } from '../service/support/temporary-files.js';
import { postChunks } from './post-chunks.js';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 7);

const LIMITED = {
  kernelProgram: KERNEL_PROGRAM,
  quotaBytes: 1024 * MIB,
  limits: { storeRetryMs: 50, diskCheckMs: 50, usedKernelIdleMs: 1 },
};

// 100,000 triangles: 5 MB as STL, more in the internal format.
const MODEL = sphere(501, 100);

describe('a service on a disk of 96 MiB', () => {
  let disk: string;
  let data: string;
  let service: RunningService;
  let api: Calls;

  const spare = (): string => path.join(data, 'spare');

  const isSpareReleased = (): boolean => !existsSync(spare());

  const isSpareWhole = (): boolean => statSync(spare(), { throwIfNoEntry: false })?.size === SPARE_BYTES;

  const filler = (): string => path.join(disk, 'filler');

  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(disk);
    return bavail * bsize;
  };

  /** Fills the disk until `remaining` bytes are free. */
  const fillDisk = (remaining: number): void => {
    const file = openSync(filler(), 'a');
    try {
      while (freeBytes() > remaining) writeSync(file, CHUNK, 0, Math.min(CHUNK.length, freeBytes() - remaining));
    } finally {
      closeSync(file);
    }
  };

  const freeDisk = (): void => rmSync(filler(), { force: true });

  const upload = async (): Promise<string> => {
    const { status, body } = await api.upload(MODEL, 'sphere.stl');
    status.should.equal(200);
    return body.fileId;
  };

  /** Runs a query on the store of a stopped service, in a process of its own, whose locks end with it. */
  const setAge = (id: string): void => {
    const script = `const db = new (require('libsql'))(process.argv[1]); db.exec("update file set retained_from = 0, read_at = 0 where id = '${id}'"); db.pragma('wal_checkpoint(truncate)'); process.exit();`;
    execFileSync(process.execPath, ['-e', script, path.join(data, 'service.db')]);
  };

  const temporaryFiles = (): string[] => listTemporaryFiles(data);

  const assertRecovered = async (): Promise<void> => {
    freeDisk();
    const { result } = await api.run('import', { fileId: await upload() });
    result.status.should.equal(200);
    should(temporaryFiles()).be.empty();
  };

  beforeEach(async () => {
    disk = await createFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk]);
    data = path.join(disk, 'data');
    service = await startService(data, LIMITED);
    api = await logIn(data);
    await eventually('the spare file exists', isSpareWhole);
  });

  afterEach(async () => {
    await service.close();
    execFileSync('umount', ['--lazy', disk]); // the descriptors of the database are closed by the next garbage collection
    await removeFolder(disk);
  });

  it('refuses an upload that does not fit with 507, and accepts it once there is space', async () => {
    fillDisk(18 * MIB);
    const { status, body } = await api.upload(MODEL, 'sphere.stl');
    status.should.equal(507);
    body.errors[0].code.should.equal(50700);
    should(temporaryFiles()).be.empty();
    await assertRecovered();
  });

  it('refuses an upload with 507 if the disk becomes full meanwhile', async () => {
    const size = 40 * MIB;
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(size)]), 'large.stl');
    const request = new Request(`${api.baseUrl}/web-api/operation/file`, { method: 'POST', body: form });
    const bytes = new Uint8Array(await request.arrayBuffer());
    const halves = async function* () {
      yield bytes.subarray(0, bytes.length / 2);
      await eventually('the upload has started', () => temporaryFiles()[0]);
      fillDisk(0);
      yield bytes.subarray(bytes.length / 2);
    };
    const headers = {
      authorization: `Bearer ${api.token}`,
      'content-type': request.headers.get('content-type') ?? '',
      'content-length': String(bytes.length),
    };
    (await postChunks(`${api.baseUrl}/web-api/operation/file`, headers, halves())).should.equal(507);
    should(temporaryFiles()).be.empty();
    await assertRecovered();
  });

  it('fails an operation whose output does not fit with 50700, and leaves no part of it', async () => {
    const fileId = await upload();
    fillDisk(MIB);
    const { status } = await api.run('import', { fileId });
    status.body.should.match({ isSuccessful: false, error: { code: 50700 } });
    should(temporaryFiles()).be.empty();
    await assertRecovered();
  });

  const readyzStatus = async (): Promise<{ status: number; body: unknown }> => {
    const reply = await fetch(`${service.baseUrl}/readyz`);
    return { status: reply.status, body: await reply.json() };
  };

  const askForOwnToken = async () => {
    const { username, password } = await readCredentials(data);
    return askForToken(data, { grant_type: 'password', username, password });
  };

  it('gives up its spare file on a full disk: refuses starts with 507, and issues tokens', async () => {
    const fileId = await upload();
    should(await readyzStatus()).match({ status: 200, body: { status: 'ok' } });
    fillDisk(0);
    await eventually('the spare file is given up', isSpareReleased);
    should(await readyzStatus()).match({ status: 507, body: { status: 'full', errors: [{ code: 50700 }] } });
    (await api.post('import', { fileId })).should.match({ status: 507, body: { errors: [{ code: 50700 }] } });
    (await askForOwnToken()).status.should.equal(200);
    await assertRecovered();
    await eventually('the spare file exists again', isSpareWhole);
    should(await readyzStatus()).match({ status: 200, body: { status: 'ok' } });
  });

  it('serves statuses and downloads where the spare file is not enough, and refuses starts and tokens with 507', async () => {
    const fileId = await upload();
    const { operationId } = await api.run('import', { fileId });
    fillDisk(0);
    await eventually('the spare file is given up', isSpareReleased);
    fillDisk(0);
    const refused = await eventually('the store is full', async () => {
      const reply = await askForOwnToken();
      return reply.status === 200 ? undefined : reply;
    });
    refused.status.should.equal(507);
    (await api.post('import', { fileId })).should.match({ status: 507, body: { errors: [{ code: 50700 }] } });
    (await api.get(`${operationId}/status`)).status.should.equal(200);
    (await api.get(`file/${fileId}`)).status.should.equal(200);
    (await fetch(`${service.baseUrl}/healthz`)).status.should.equal(200);
    await assertRecovered();
  });

  it('counts as full if the disk becomes full while the spare file is created', async () => {
    fillDisk(0);
    let free = MIN_FREE_DISK_BYTES + SPARE_BYTES;
    const other = await openSpareFile({ folder: disk, logger: createLogger('silent'), freeSpace: async () => free });
    await other.update();
    free = 0;
    should([existsSync(path.join(disk, 'spare')), await other.isUsed()]).deepEqual([false, true]);
  });

  it('deletes a file by request, whose bytes make space for that, and then cancels an operation', async () => {
    const [fileId, other] = [await upload(), await upload()];
    const { operationId } = (await api.post('import', { fileId: other })).body;
    fillDisk(0);
    await eventually('the spare file is given up', isSpareReleased);
    fillDisk(0);
    should(await api.remove(`file/${fileId}`)).match({ status: 200, body: { fileId, cancelledOperations: [] } });
    (await api.get(`file/${fileId}`)).status.should.equal(410);
    should(await api.remove(operationId)).match({ status: 200, body: { isCompleted: true } });
    await eventually('no kernel process remains', () => findKernelProcesses(process.pid).length === 0);
    await assertRecovered();
  });

  const readAccount = async () => {
    const { baseUrl: _, instanceId: __, identityKey: ___, ...account } = await readCredentials(data);
    return account;
  };

  for (const isSpareEnough of [true, false]) {
    it(`starts on a full disk ${isSpareEnough ? 'with' : 'without'} a spare file, serves downloads and deletes`, async () => {
      const [fileId, expiredId] = [await upload(), await upload()];
      const account = await readAccount();
      await service.close();
      setAge(expiredId);
      if (!isSpareEnough) rmSync(spare());
      const accountsFile = path.join(data, 'accounts.json');
      const accounts = readFileSync(accountsFile);
      rmSync(accountsFile);
      fillDisk(0);
      service = await startService(data, LIMITED);
      should(await readAccount()).deepEqual(account);
      const full = callsWith(service.baseUrl, api.token);
      (await full.get(`file/${fileId}`)).status.should.equal(200);
      (await full.get(`file/${expiredId}`)).status.should.equal(410);
      await eventually('the credentials have the new address', async () => {
        return (await readCredentials(data)).baseUrl === service.baseUrl;
      });
      await eventually('the copy of the accounts is written', () => existsSync(accountsFile));
      should(readFileSync(accountsFile)).deepEqual(accounts);
      api = full;
      await assertRecovered();
    });
  }

  it('completes an operation as soon as its completion can be written', async () => {
    const fileId = await upload();
    const { operationId } = (await api.post('import', { fileId })).body;
    await eventually('the kernel process runs', () => findKernelProcesses(process.pid)[0]);
    fillDisk(0);
    await eventually('the kernel process ended', () => findKernelProcesses(process.pid).length === 0);
    freeDisk();
    (await api.untilCompleted(operationId)).body.isCompleted.should.be.true();
    await assertRecovered();
  });
});
