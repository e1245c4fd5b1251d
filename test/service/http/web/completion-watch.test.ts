import { randomUUID } from 'node:crypto';
import should from 'should';
import { CompletionWatch } from '../../../../src/service/http/web/completion-watch.js';
import type { ReportedOperation } from '../../../../src/service/store/lists.js';
import { ManualClock } from '../../../helpers/manual-clock.js';
import { createReportedOperation } from '../../support/reported-operation.js';

const MAX_DELAY_MS = 250;

describe('CompletionWatch', () => {
  /** The signal of a connection that stays open. */
  const open = (): AbortSignal => new AbortController().signal;
  let clock: ManualClock;
  let rows: ReportedOperation[];
  /** The number of ids of each poll. */
  let polls: number[];
  let isStopping: boolean;
  let failure: Error | undefined;
  let watch: CompletionWatch;

  beforeEach(() => {
    clock = new ManualClock();
    rows = [];
    polls = [];
    isStopping = false;
    failure = undefined;
    watch = new CompletionWatch({
      lists: {
        named: async (owner, ids) => rows.filter((row) => row.owner === owner && ids.includes(row.id)),
        completed: async (ids) => {
          polls.push(ids.length);
          if (failure) throw failure;
          return rows.filter(({ id, state }) => ids.includes(id) && state === 'completed');
        },
      },
      isStopping: () => isStopping,
      now: () => 1e12 + clock.time,
      monotonicNow: clock.now,
      sleep: (ms, signal) => clock.sleep(ms, signal).catch(() => undefined),
    });
  });

  const addRow = (owner: string, ageMs = 0): ReportedOperation => {
    const row = createReportedOperation({ owner, created_at: 1e12 + clock.time - ageMs });
    rows.push(row);
    return row;
  };

  /** Waits again and again, as a page does. Resolves with the time of the reply that has a row. */
  const follow = async (owner: string, ids: readonly string[]): Promise<number> => {
    for (;;) if ((await watch.wait(owner, ids, open())).length > 0) return clock.time;
  };

  it('replies at once with what is completed', async () => {
    const row = addRow('ann');
    row.state = 'completed';
    should(await watch.wait('ann', [row.id], open())).deepEqual([row]);
    polls.should.be.empty();
  });

  for (const [afterMs, delayMs] of [
    [20, 15],
    [800, 100],
    [2900, MAX_DELAY_MS],
    [60_000, MAX_DELAY_MS],
  ] as const) {
    it(`replies within ${delayMs} ms after an operation was completed that took ${afterMs} ms`, async () => {
      const row = addRow('ann');
      const following = follow('ann', [row.id]);
      await clock.advance(afterMs);
      row.state = 'completed';
      await clock.advance(delayMs);
      should(await following).be.belowOrEqual(afterMs + delayMs);
    });
  }

  it('polls an operation less and less often, also in the requests that follow', async () => {
    const row = addRow('ann');
    const following = follow('ann', [row.id]);
    const counts: number[] = [];
    for (let second = 0; second < 12; second++) {
      const before = polls.length;
      await clock.advance(1000);
      counts.push(polls.length - before);
    }
    should(counts[0]).be.belowOrEqual(30);
    for (const count of counts.slice(3)) should(count).be.belowOrEqual(5);
    row.state = 'completed';
    await clock.advance(MAX_DELAY_MS);
    await following;
  });

  it('shares its polls between a hundred waits', async () => {
    const waiting = Array.from({ length: 100 }, () => addRow('ann', 60_000));
    const following = waiting.map(({ id, owner }, index) => clock.advance(index % 7).then(() => follow(owner, [id])));
    await clock.advance(3000);
    polls.length = 0;
    await clock.advance(10_000);
    should(polls.length).be.belowOrEqual(80);
    for (const row of waiting) row.state = 'completed';
    await clock.advance(MAX_DELAY_MS);
    await Promise.all(following);
  });

  it('asks for at most 1000 ids at a time, and for all of them', async () => {
    const waiting = Array.from({ length: 30 }, () => Array.from({ length: 100 }, () => addRow('ann', 60_000)));
    const following = waiting.map((group) =>
      follow(
        'ann',
        group.map(({ id }) => id),
      ),
    );
    await clock.advance(1000);
    for (const [first] of waiting) if (first) first.state = 'completed';
    await clock.advance(MAX_DELAY_MS);
    await Promise.all(following);
    Math.max(...polls).should.equal(1000);
  });

  it('replies to each user with their own operations only', async () => {
    const [ofAnn, ofBob] = [addRow('ann'), addRow('bob')];
    const ids = [ofAnn.id, ofBob.id];
    const replies = Promise.all([watch.wait('ann', ids, open()), watch.wait('bob', ids, open())]);
    await clock.advance(5);
    for (const row of rows) row.state = 'completed';
    await clock.advance(100);
    should(await replies).deepEqual([[ofAnn], [ofBob]]);
  });

  it('replies with nothing after 3 s, also for operations that do not exist', async () => {
    const row = addRow('ann');
    const replies = Promise.all([watch.wait('ann', [row.id], open()), watch.wait('ann', [randomUUID()], open())]);
    await clock.advance(3000);
    should(await replies).deepEqual([[], []]);
    should(clock.sleeperCount).equal(0);
  });

  it('ends a wait when its signal is aborted, and all when the service is stopping', async () => {
    const [ids, closing] = [[addRow('ann').id], new AbortController()];
    const aborted = watch.wait('ann', ids, closing.signal);
    const other = watch.wait('ann', ids, open());
    await clock.advance(1);
    closing.abort();
    should(await aborted).deepEqual([]);
    isStopping = true;
    await clock.advance(MAX_DELAY_MS);
    should(await other).deepEqual([]);
    should(clock.sleeperCount).equal(0);
  });

  it('rejects with the error of the store, and polls again for the next wait', async () => {
    const row = addRow('ann');
    failure = new Error('no database');
    const failed = watch.wait('ann', [row.id], open()).should.be.rejectedWith('no database');
    await clock.advance(100);
    await failed;
    failure = undefined;
    const next = watch.wait('ann', [row.id], open());
    await clock.advance(1);
    row.state = 'completed';
    await clock.advance(100);
    should(await next).deepEqual([row]);
  });
});
