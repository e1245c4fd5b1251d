import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import { waitUntilStable } from '../../../../nodes/shared/transfers/wait-until-stable.js';

describe('waitUntilStable', () => {
  let folder: string;
  let file: string;
  let time: number;

  /** Waits until the file is stable for 2 s. Calls `change` with the time in ms before each poll after the first. */
  const wait = async (change: (now: number) => Promise<void> | void, signal = new AbortController().signal) => {
    time = 0;
    const sleep = async (ms: number) => {
      time += ms;
      await change(time);
    };
    await waitUntilStable(file, { stableMs: 2000, timeoutMs: 60_000, signal, now: () => time, sleep });
    return time;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'complete-'));
    file = path.join(folder, 'part.stl');
    await writeFile(file, 'solid');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('resolves when the file has not changed for stableMs', async () => {
    (await wait(() => undefined)).should.equal(2000);
  });

  it('restarts the interval when the file has grown', async () => {
    const elapsedMs = await wait((now) => (now <= 5000 ? appendFile(file, ' more') : undefined));
    elapsedMs.should.equal(7000);
  });

  it('rejects with WAIT_TIMEOUT if the file keeps changing', async () => {
    const error = await wait(() => appendFile(file, ' more')).catch((thrown: unknown) => thrown);
    should(error).have.property('code', 'WAIT_TIMEOUT');
    should(Object(error).message).match(/part.stl" was still changing after 60 s/);
  });

  it('rejects with FILE_UNREADABLE if the file is missing or is deleted', async () => {
    const deleted = await wait(() => rm(file, { force: true })).catch((thrown: unknown) => thrown);
    should(deleted).have.property('code', 'FILE_UNREADABLE');
    const missing = await wait(() => undefined).catch((thrown: unknown) => thrown);
    should(missing).have.property('code', 'FILE_UNREADABLE');
  });

  it('rejects with the reason of the signal on an abort', async () => {
    const controller = new AbortController();
    const reason = new Error('closing');
    const error = await wait(() => controller.abort(reason), controller.signal).catch((thrown: unknown) => thrown);
    should(error).equal(reason);
  });
});
