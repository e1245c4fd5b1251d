import 'should';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import should from 'should';
import { CallbackSender } from '../../../src/service/callbacks/callback-sender.js';
import type { Lookup } from '../../../src/service/callbacks/ssrf-guarded-post.js';
import { LIMITS, type Limits } from '../../../src/service/defaults.js';
import { createCallbacks } from '../../../src/service/store/callbacks.js';
import type { Store } from '../../../src/service/store/database.js';
import { eventually } from '../../helpers/processes.js';
import { useFolder } from '../support/data-folder.js';
import { openStore } from '../support/open-store.js';
import { queuedOperation } from '../support/queued-operation.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

const MINUTE_MS = 60_000;
const DUE = { operationId: 'one', owner: 'ann', url: 'http://127.0.0.1/', isSuccessful: true, attempts: 0, nextAt: 0 };

/** Resolves each name to 127.0.0.1. */
const findLoopback = ((_hostname: string, _options: object, done: (error: null, addresses: LookupAddress[]) => void) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])) as Lookup;

describe('CallbackSender', () => {
  it('sends a callback only once while its outcome cannot be stored', async () => {
    let sentCount = 0;
    const sender = new CallbackSender({
      callbacks: {
        findTurns: async () => [DUE],
        findDue: async (_owner, _count, except) => (except.includes('one') ? [] : [DUE]),
        postpone: async () => undefined,
        recordAttempt: () => Promise.reject(new Error('the disk is full')),
      },
      isAllowed: () => true,
      limits: LIMITS,
      now: () => 0,
      monotonicNow: () => 0,
      logger: pino({ level: 'silent' }),
      post: async () => {
        sentCount += 1;
        return 200;
      },
    });
    sender.wake();
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    sentCount.should.equal(1);
    await sender.close();
  });

  describe('with a host that never answers', () => {
    let folder: string;
    let store: Store;
    let sender: CallbackSender;
    let silent: Server;
    let silentUrl: string;
    let connections: Socket[];
    let receiver: Receiver;

    useFolder((created) => (folder = created));

    beforeEach(async () => {
      connections = [];
      silent = createServer((socket) => {
        socket.on('error', () => undefined);
        connections.push(socket);
      });
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      receiver = await startReceiver([200]);
      store = await openStore(`${folder}/store.db`);
    });

    afterEach(async () => {
      await sender.close();
      for (const socket of connections) socket.destroy();
      await once(silent.close(), 'close');
      await receiver.close();
      await store.destroy();
    });

    const addDue = async (owner: string, callback_url: string, count = 1): Promise<void> => {
      const due = { callback_url, callback_state: 'due', callback_next_at: 1, is_successful: 1, owner } as const;
      for (let added = 0; added < count; added++)
        await store
          .insertInto('operation')
          .values(queuedOperation({ ...due, state: 'completed' }))
          .execute();
    };

    const start = (limits: Partial<Limits>): void => {
      sender = new CallbackSender({
        callbacks: createCallbacks(store, Date.now),
        isAllowed: () => true,
        lookup: findLoopback,
        limits: { ...LIMITS, ...limits },
        now: Date.now,
        monotonicNow: () => performance.now(),
        logger: pino({ level: 'silent' }),
      });
      sender.wake();
    };

    it('sends the callback of another user while the requests of the first one wait', async () => {
      await addDue('ann', silentUrl, 200);
      start({ callbackTimeoutMs: 10 * MINUTE_MS });
      await eventually('all requests of ann are sent', () => connections.length === 8);
      await addDue('bob', receiver.url);
      sender.wake();
      await eventually('that of bob is delivered', () => receiver.received.length === 1);
      should(connections.length).equal(8);
    });

    it('sends the callback of another user whatever number of hosts is silent', async () => {
      for (let host = 1; host <= 100; host++) await addDue('ann', silentUrl.replace('127.0.0.1', `host${host}.test`));
      start({ callbackTimeoutMs: 10 * MINUTE_MS });
      await eventually('all requests of ann are sent', () => connections.length === 8);
      await addDue('bob', receiver.url);
      sender.wake();
      await eventually('that of bob is delivered', () => receiver.received.length === 1);
    });

    it('sends the other callbacks of the user while that host is tried alone', async () => {
      await addDue('ann', silentUrl, 50);
      start({ callbackTimeoutMs: 100, slowCallbackMs: 50 });
      await eventually('the first requests have failed', () => connections.length === 8);
      await addDue('ann', receiver.url, 20);
      sender.wake();
      await eventually('the others are delivered', () => receiver.received.length === 20);
      should(connections.length).be.belowOrEqual(9);
    });

    it('sends callbacks to that host in full again once it replies', async () => {
      const isFirst = (): boolean => connections.length <= 8;
      silent.on('connection', (socket) => {
        if (!isFirst()) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
      await addDue('ann', silentUrl, 20);
      start({ callbackTimeoutMs: 100, slowCallbackMs: 50, callbackRetryDelaysMs: Array(20).fill(0) });
      await eventually('the first requests have failed', () => connections.length === 8);
      await store.updateTable('operation').set({ callback_next_at: 1 }).where('callback_state', '=', 'due').execute();
      sender.wake();
      const readDue = () => store.selectFrom('operation').select('id').where('callback_state', '=', 'due').execute();
      await eventually('all are delivered', async () => {
        await store.updateTable('operation').set({ callback_next_at: 1 }).where('callback_state', '=', 'due').execute();
        sender.wake();
        return (await readDue()).length === 0;
      });
    });
  });
});
