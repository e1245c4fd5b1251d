import should from 'should';
import { startRetentionClock } from '../../src/service/retention-clock.js';
import type { RetentionTimeRow } from '../../src/service/store/schema.js';
import { logIn } from './support/account.js';
import { createFolder, removeFolder } from './support/data-folder.js';
import { startService } from './support/running.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 1000 * DAY;

describe('startRetentionClock', () => {
  let saved: RetentionTimeRow | undefined;
  let system: number;
  let monotonic: number;

  const start = () =>
    startRetentionClock({
      times: {
        find: async () => saved,
        replace: async (row) => {
          saved = row;
        },
      },
      now: () => system,
      monotonicNow: () => monotonic,
    });

  beforeEach(() => {
    saved = undefined;
    system = START;
    monotonic = 5.5;
  });

  it('starts with the system clock, and follows the monotonic time in whole milliseconds', async () => {
    const clock = await start();
    should(clock.now()).equal(START);
    monotonic += HOUR + 0.7;
    should(clock.now()).equal(START + HOUR);
  });

  it('ignores changes of the system clock while it runs', async () => {
    const clock = await start();
    system += 365 * DAY;
    should(clock.now()).equal(START);
    system -= 700 * DAY;
    should(clock.now()).equal(START);
  });

  for (const [what, jump, added] of [
    ['adds the duration of a stop', 5 * HOUR, 5 * HOUR],
    ['adds at most one day per stop', 365 * DAY, DAY],
    ['adds nothing if the system clock was set back', -365 * DAY, 0],
  ] as const) {
    it(what, async () => {
      const clock = await start();
      monotonic += HOUR;
      system += HOUR;
      await clock.save();
      system += jump;
      monotonic = 0;
      should((await start()).now()).equal(START + HOUR + added);
    });
  }

  it('counts the time since it was saved when the service was killed', async () => {
    const clock = await start();
    await clock.save();
    system += 3 * HOUR;
    should((await start()).now()).equal(START + 3 * HOUR);
  });
});

describe('a service whose system clock jumps forward by a year and back', () => {
  it('keeps a fresh file', async () => {
    const folder = await createFolder();
    let now = Date.now();
    const start = () => startService(folder, { now: () => now, limits: { sweepIntervalMs: 10 } });
    let service = await start();
    const { fileId } = (await (await logIn(folder)).upload('bytes', 'a.stl')).body;
    for (const jump of [365 * DAY, -365 * DAY]) {
      now += jump;
      await service.close();
      service = await start();
    }
    (await (await logIn(folder)).get(`file/${fileId}`)).status.should.equal(200);
    await service.close();
    await removeFolder(folder);
  });
});
