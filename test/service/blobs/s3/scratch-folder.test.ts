import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import {
  type Download,
  openOwnScratchFolder,
  openScratchFolder,
  type ScratchFolder,
} from '../../../../src/service/blobs/s3/scratch-folder.js';
import { eventually } from '../../../helpers/processes.js';
import { useFolder } from '../../support/data-folder.js';

const LOCKER = path.resolve('test/service/blobs/s3/support/scratch-locker.ts');

describe('a scratch folder of 100 bytes', () => {
  let folder: string;
  let scratch: ScratchFolder;
  const warnings: object[] = [];
  const downloads: string[] = [];
  const logger = { warn: (entry: object) => void warnings.push(entry) };

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    scratch = await openScratchFolder(folder, 100, logger);
    warnings.length = 0;
    downloads.length = 0;
  });

  /** Acquires a copy of `size` bytes. Counts its downloads. */
  function acquire(key: string, size: number): Promise<string> {
    return scratch.acquire(key, size, (file) => {
      downloads.push(key);
      return writeFile(file, Buffer.alloc(size, key));
    });
  }
  it('deletes the files of an earlier run, keeps what it does not know, and reports that', async () => {
    await writeFile(scratch.createPath(), 'an output');
    await acquire('a', 10);
    await writeFile(path.join(folder, 'thesis.docx'), 'not ours');
    await mkdir(path.join(folder, 'figures'));
    await openScratchFolder(folder, 100, logger);
    should(await readdir(folder)).have.length(2);
    should(await readFile(path.join(folder, 'thesis.docx'), 'utf8')).equal('not ours');
    should(warnings).match([{ names: ['figures', 'thesis.docx'] }]);
  });

  it('is emptied by one process at a time, and by the next one once that has ended or was killed', async () => {
    const file = scratch.createPath();
    await writeFile(file, 'an output');
    const child = spawn(process.execPath, ['--import', 'tsx', LOCKER, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      should(await readdir(folder)).eql(['lock.db']);
      await writeFile(file, 'an output');
      await openOwnScratchFolder(folder, 100, logger).should.be.rejectedWith({ code: 'FOLDER_LOCKED' });
      should(await readdir(folder)).have.length(2);
    } finally {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    const { release } = await openOwnScratchFolder(folder, 100, logger);
    should(await readdir(folder)).eql(['lock.db']);
    release();
    (await openOwnScratchFolder(folder, 100, logger)).release();
    should(warnings).be.empty();
  });

  it('downloads an object once for two jobs, and keeps it for the next', async () => {
    const [first, second] = await Promise.all([acquire('a', 10), acquire('a', 10)]);
    should(first).equal(second);
    scratch.release(first);
    scratch.release(first);
    should(await acquire('a', 10)).equal(first);
    should(downloads).deepEqual(['a']);
  });

  it('deletes the least recently used copies when space is needed', async () => {
    for (const key of ['a', 'b', 'c']) scratch.release(await acquire(key, 30));
    scratch.release(await acquire('a', 30));
    scratch.release(await acquire('d', 30));
    for (const key of ['a', 'c', 'd', 'b']) scratch.release(await acquire(key, 30));
    should(downloads).deepEqual(['a', 'b', 'c', 'd', 'b']);
    await eventually('the others are deleted', async () => (await readdir(folder)).length === 3);
  });

  it('waits while jobs use all the space', async () => {
    const first = await acquire('a', 60);
    const second = acquire('b', 60);
    await acquire('c', 30);
    should(downloads).deepEqual(['a', 'c']);
    scratch.release(first);
    await second;
    should(downloads).deepEqual(['a', 'c', 'b']);
  });

  it('fails with DISK_FULL for an object that is larger than the folder', async () => {
    await should(acquire('a', 101)).be.rejectedWith({ code: 'DISK_FULL' });
  });

  it('keeps nothing of a download that failed, and tries again', async () => {
    const fail = async (file: string): Promise<void> => {
      await writeFile(file, 'part');
      throw new Error('The connection was cut.');
    };
    await should(scratch.acquire('a', 100, fail)).be.rejectedWith('The connection was cut.');
    should(await readdir(folder)).be.empty();
    await acquire('a', 100);
  });

  it('stops waiting for space when its signal is aborted', async () => {
    await acquire('a', 60);
    const controller = new AbortController();
    const waiting = scratch.acquire('b', 60, () => Promise.resolve(), controller.signal);
    controller.abort(new Error('The operation was cancelled.'));
    await should(waiting).be.rejectedWith('The operation was cancelled.');
    await acquire('c', 40);
  });

  it('ends a download once no job waits for it, and gives its space back', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    let isEnded = false;
    const ended = new Promise<void>((resolve) => {
      const download: Download = (_file, unused) =>
        new Promise((_resolve, reject) => {
          unused.addEventListener('abort', () => {
            isEnded = true;
            reject(unused.reason);
            resolve();
          });
        });
      for (const { signal } of [one, two]) {
        scratch.acquire('a', 100, download, signal).catch(() => undefined); // aborted below
      }
    });
    one.abort();
    await acquire('b', 0);
    should(isEnded).be.false();
    two.abort();
    await ended;
    await acquire('a', 100);
  });

  it('deletes a copy that was completed after its only job had ended', async () => {
    const controller = new AbortController();
    const steps = new EventEmitter();
    const written = once(steps, 'written');
    const download: Download = async (file) => {
      await writeFile(file, 'a copy');
      steps.emit('written');
      await once(steps, 'complete');
    };
    const acquiring = scratch.acquire('a', 6, download, controller.signal);
    acquiring.catch(() => undefined); // handled below
    await written;
    controller.abort(new Error('The operation was cancelled.'));
    await should(acquiring).be.rejectedWith('The operation was cancelled.');
    steps.emit('complete');
    await eventually('the copy is deleted', async () => (await readdir(folder)).length === 0);
  });

  it('keeps an output as the copy of its object', async () => {
    const output = scratch.createPath();
    await writeFile(output, 'an output');
    await scratch.keep(output, 'a', 9);
    should(await readFile(await acquire('a', 9), 'utf8')).equal('an output');
    should(downloads).be.empty();
  });

  it('deletes an output that has no space', async () => {
    await acquire('a', 95);
    const output = scratch.createPath();
    await writeFile(output, 'an output');
    await scratch.keep(output, 'b', 9);
    should(await readdir(folder)).have.length(1);
  });

  it('says why it cannot be used, and which option to change', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await should(openOwnScratchFolder(file, 100, logger)).be.rejectedWith({
      code: 'FOLDER_UNUSABLE',
      message: `Could not use the scratch folder ${file}: ${file} is not a folder. Move it, or choose another folder with --scratch.`,
    });
  });
});
