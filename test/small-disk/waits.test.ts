import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { WaitingNodeRed } from '../soak/support/waiting-node-red.js';

const PENDING = 50;

describe('pending waits on a small disk', () => {
  let disk: string;
  let service: FakeService;
  let nodeRed: WaitingNodeRed;

  const mount = (...parameters: string[]): void => void execFileSync('mount', parameters);
  const journal = (): string => path.join(nodeRed.userDir, 'model-processing-waits.jsonl');
  const filler = (): string => path.join(disk, 'filler');

  /** Fills the disk completely. */
  const fillDisk = (): void => {
    const file = openSync(filler(), 'a');
    for (const size of [4096, 1])
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        Object(error).code.should.equal('ENOSPC');
      }
    closeSync(file);
  };

  const freeDisk = (): void => rmSync(filler());

  const sendWaits = async (): Promise<void> => {
    for (let sent = 0; sent < PENDING; sent += 1)
      await nodeRed.wait(service.addOperation('repair', { pollsLeft: Number.POSITIVE_INFINITY }));
  };

  const complete = (count = Number.POSITIVE_INFINITY): void => {
    for (const operation of [...service.operations.values()].slice(0, count)) operation.pollsLeft = 0;
  };

  const repeats = (): number => nodeRed.arrivals().filter(({ isRepeat }) => isRepeat).length;

  const waitForArrivals = (count: number): Promise<boolean> =>
    eventually(`${count} messages have arrived`, () => nodeRed.arrivals().length >= count);

  const errors = (): string[] =>
    nodeRed
      .log()
      .split('\n')
      .filter((line) => /\[error\].*journal of pending waits/.test(line));

  /** Sends a message and waits until it arrives. Messages that were restored before have then arrived too. */
  const sendOneMore = async (earlier: number): Promise<void> => {
    await nodeRed.wait(service.addOperation('repair'));
    await waitForArrivals(earlier + 1);
  };

  beforeEach(async () => {
    disk = mkdtempSync(path.join(os.tmpdir(), 'waits-disk-'));
    mount('-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk);
    service = await FakeService.start();
    nodeRed = new WaitingNodeRed(service, [], disk);
    await nodeRed.start();
  });

  afterEach(async () => {
    await nodeRed.kill();
    execFileSync('umount', ['--lazy', '--recursive', disk]);
    rmdirSync(disk);
    await nodeRed.remove();
    await service.stop();
  });

  it('sends no message twice if its wait ended on a full disk', async () => {
    for (let round = 0; round < 4; round += 1) await sendWaits();
    fillDisk();
    // Some waits remain, so that the journal is not emptied.
    complete(3 * PENDING);
    await waitForArrivals(3 * PENDING);
    await nodeRed.kill();
    freeDisk();
    complete();
    await nodeRed.start();
    await waitForArrivals(4 * PENDING);
    await sendOneMore(4 * PENDING);
    nodeRed.arrivals().length.should.equal(4 * PENDING + 1);
    repeats().should.equal(0);
  });

  it('keeps new waits in memory while the disk is full, and writes them once there is space', async () => {
    fillDisk();
    await sendWaits();
    errors().length.should.equal(1);
    should(errors()[0]).match(
      /ENOSPC.*Free space on the disk\. Until then, new waits survive a redeploy but not a restart\.$/,
    );
    freeDisk();
    await eventually(
      'all are in the journal',
      () => readFileSync(journal(), 'utf8').split('{"wait":').length > PENDING,
    );
    await nodeRed.kill();
    complete();
    await nodeRed.start();
    await waitForArrivals(PENDING);
    repeats().should.equal(0);
  });

  for (const [name, makeReadOnly, makeWritable] of [
    [
      'a journal that was made read-only',
      () => {
        mount('--bind', journal(), journal());
        mount('-o', 'remount,bind,ro', journal());
      },
      () => execFileSync('umount', [journal()]),
    ],
    ['a disk that was made read-only', () => mount('-o', 'remount,ro', disk), () => mount('-o', 'remount,rw', disk)],
  ] as const)
    it(`restores the waits of ${name}, and marks messages that it sends again`, async () => {
      await sendWaits();
      await nodeRed.kill();
      const bytes = readFileSync(journal());
      complete();
      makeReadOnly();
      await nodeRed.start();
      await waitForArrivals(PENDING);
      repeats().should.equal(0);
      errors().length.should.equal(1);
      should(errors()[0]).match(/Could not update the journal of pending waits .*: EROFS/);
      await nodeRed.kill();
      readFileSync(journal()).should.deepEqual(bytes);
      makeWritable();
      await nodeRed.start();
      await waitForArrivals(2 * PENDING);
      repeats().should.equal(PENDING);
      await nodeRed.kill();
      await nodeRed.start();
      await sendOneMore(2 * PENDING);
      nodeRed.arrivals().length.should.equal(2 * PENDING + 1);
    });
});
