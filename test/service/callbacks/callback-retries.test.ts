import { Writable } from 'node:stream';
import 'should';
import should from 'should';
import { CallbackSender } from '../../../src/service/callbacks/callback-sender.js';
import { LIMITS } from '../../../src/service/defaults.js';
import { createLogger } from '../../../src/service/logger.js';
import type { DueCallback } from '../../../src/service/store/callbacks.js';

const HOUR_MS = 3_600_000;

/** Sends callbacks until none is due, on a clock that jumps to the next attempt. Returns the attempts and the log. */
async function sendAll(urls: string[], post: (url: string, attempt: number) => number, attempts = 0) {
  const lines: { level: string; msg: string; address: string }[] = [];
  const target = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const due = new Map<string, DueCallback>(
    urls.map((url, index) => [
      `${index}`,
      { operationId: `${index}`, owner: 'ann', url, isSuccessful: true, attempts, nextAt: 0 },
    ]),
  );
  const sent: { url: string; at: number }[] = [];
  let now = 0;
  let whenDone: () => void = () => undefined;
  const isDone = new Promise<void>((resolve) => {
    whenDone = resolve;
  });
  const sender = new CallbackSender({
    callbacks: {
      findTurns: async () => [...due.values()].sort((a, b) => a.nextAt - b.nextAt).slice(0, 1),
      findDue: async (_owner, count) =>
        [...due.values()]
          .filter(({ nextAt }) => nextAt <= now)
          .sort((a, b) => a.nextAt - b.nextAt)
          .slice(0, count),
      postpone: async () => undefined,
      recordAttempt: async (operationId, count, outcome) => {
        const callback = due.get(operationId);
        if (callback && outcome.state === 'due') {
          due.set(operationId, { ...callback, attempts: count, nextAt: outcome.nextAt });
          now = Math.max(now, outcome.nextAt);
        } else due.delete(operationId);
        if (due.size === 0) whenDone();
      },
    },
    isAllowed: () => true,
    limits: { ...LIMITS, maxConcurrentCallbacks: 1 },
    now: () => now,
    monotonicNow: () => now,
    logger: createLogger('debug', target),
    post: async (url) => {
      sent.push({ url, at: now });
      const status = post(url, sent.length);
      if (status === 0) throw new Error('connect ECONNREFUSED 127.0.0.1:1881');
      return status;
    },
  });
  sender.wake();
  await isDone;
  await sender.close();
  return { sent, warnings: lines.filter(({ level }) => level === 'warn'), lines };
}

describe('the retries of a callback', () => {
  const A = 'http://127.0.0.1:1881/model-processing/callback/a';
  const B = 'http://127.0.0.1:1881/model-processing/callback/b';
  const OTHER = 'http://127.0.0.1:1882/model-processing/callback/c';

  it('end after 3 days if the receiver refuses the connection', async () => {
    const { sent } = await sendAll([A], () => 0);
    sent.should.have.length(LIMITS.callbackRetryDelaysMs.length + 1);
    (sent.at(-1)?.at ?? 0).should.be.above(70 * HOUR_MS);
  });

  it('end within an hour if the receiver replies 404', async () => {
    const { sent } = await sendAll([A], () => 404);
    sent.length.should.be.above(3);
    (sent.at(-1)?.at ?? 0).should.be.within(HOUR_MS / 2, HOUR_MS);
  });

  it('go on after a 404 reply until the receiver has started', async () => {
    const { sent } = await sendAll([A], (_url, attempt) => (attempt < 3 ? 404 : 204));
    sent.should.have.length(3);
  });

  it('end at once, without a warning, if the receiver replies 410', async () => {
    const { sent, warnings } = await sendAll([A], () => 410);
    sent.should.have.length(1);
    warnings.should.be.empty();
  });

  it('are logged as one warning per address, without a stack', async () => {
    const { warnings } = await sendAll([A, B, OTHER], () => 0);
    warnings
      .map(({ address, msg }) => [address, msg])
      .should.deepEqual([
        ['http://127.0.0.1:1881', 'Callbacks do not reach this address'],
        ['http://127.0.0.1:1882', 'Callbacks do not reach this address'],
      ]);
    should(warnings[0]).have.property('reason', 'connect ECONNREFUSED 127.0.0.1:1881');
    JSON.stringify(warnings).should.not.match(/stack|at file:/);
  });

  it('are logged as another warning if the address worked in the meantime', async () => {
    const { warnings } = await sendAll([A, B, `${B}2`], (_url, attempt) => (attempt === 2 ? 204 : 0));
    warnings.should.have.length(2);
  });

  it('are not logged as warnings if an earlier service made the first attempt', async () => {
    const { warnings, lines } = await sendAll([A], () => 0, 1);
    warnings.should.be.empty();
    lines.length.should.equal(LIMITS.callbackRetryDelaysMs.length);
  });
});
