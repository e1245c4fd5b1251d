import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import { waitUntilStable } from '../../../../nodes/shared/transfers/wait-until-stable.js';

describe('untilComplete', () => {
  let folder: string;
  let file: string;
  let time: number;

  /** Waits for 2 s of standing still; before each look that follows the first, `happen` is asked, with the time in ms. */
  const wait = async (happen: (now: number) => Promise<void> | void, signal = new AbortController().signal) => {
    time = 0;
    const sleep = async (ms: number) => {
      time += ms;
      await happen(time);
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

  it('waits until the file has stood still for as long as it should', async () => {
    (await wait(() => undefined)).should.equal(2000);
  });

  it('begins anew whenever the file has grown', async () => {
    const passed = await wait((now) => (now <= 5000 ? appendFile(file, ' more') : undefined));
    passed.should.equal(7000);
  });

  it('gives up on a file that never stands still', async () => {
    const error = await wait(() => appendFile(file, ' more')).catch((thrown: unknown) => thrown);
    should(error).have.property('code', 'WAIT_TIMEOUT');
    should(Object(error).message).match(/part.stl was still changing after 60 s/);
  });

  it('says that a file is not there, or has gone', async () => {
    const gone = await wait(() => rm(file, { force: true })).catch((thrown: unknown) => thrown);
    should(gone).have.property('code', 'FILE_UNREADABLE');
    const missing = await wait(() => undefined).catch((thrown: unknown) => thrown);
    should(missing).have.property('code', 'FILE_UNREADABLE');
  });

  it('ends at an abort, with its reason', async () => {
    const aborting = new AbortController();
    const reason = new Error('closing');
    const error = await wait(() => aborting.abort(reason), aborting.signal).catch((thrown: unknown) => thrown);
    should(error).equal(reason);
  });
});
