import 'should';
import type { Client } from '../../../src/client/index.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { registerClientBench } from '../support/client-bench.js';

const STATUS = /\/status$/;

describe('Client.wait', () => {
  let service: FakeService;
  let clock: InstantClock;
  let client: Client;
  registerClientBench((bench) => ({ service, clock, client } = bench));

  describe('while a callback is expected', () => {
    /** Creates a callback source that the test triggers by `arrive`. */
    const createSource = (isExpected = () => true) => {
      const listeners = new Set<() => void>();
      const listen = (onCallback: () => void) => {
        listeners.add(onCallback);
        return () => listeners.delete(onCallback);
      };
      const arrive = () => {
        for (const listener of listeners) listener();
      };
      return { isExpected, listen, arrive, listeners };
    };

    it('polls immediately if the callback has already arrived', async () => {
      const operationId = service.addOperation('repair');
      const { isExpected } = createSource();
      const listen = (onCallback: () => void) => {
        onCallback();
        return () => undefined;
      };
      await client.wait(operationId, 'repair', { callbacks: { isExpected, listen } });
      clock.sleeps.should.eql([0]);
      service.count('GET', STATUS).should.equal(1);
    });

    it('polls after 5.5 s, at each doubling of the age, then every 20 s if no callback arrives', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 6 });
      const callbacks = createSource();
      await client.wait(operationId, 'repair', { callbacks });
      clock.sleeps.should.eql([5500, 5500, 11_000, 20_000, 20_000, 20_000]);
      callbacks.listeners.size.should.equal(0);
    });

    it('polls at the usual intervals as soon as callbacks are no longer expected', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 3 });
      let checkCount = 0;
      await client.wait(operationId, 'repair', { callbacks: createSource(() => checkCount++ === 0) });
      clock.sleeps.map(Math.round).should.eql([5500, 1173, 1292]);
    });

    it('polls at most once per second after many callbacks, and relies on the status alone', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 5 });
      const callbacks = createSource();
      const onStatus = () => {
        for (let i = 0; i < 10; i += 1) callbacks.arrive();
      };
      await client.wait(operationId, 'repair', { callbacks, onStatus });
      clock.sleeps.should.eql([5500, 0, 1000, 1000, 1000]);
    });

    it('polls at the usual intervals, but at most once per second, after a callback before completion', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 4 });
      const callbacks = createSource();
      let statusCount = 0;
      const onStatus = () => {
        statusCount += 1;
        if (statusCount === 1) callbacks.arrive();
      };
      await client.wait(operationId, 'repair', { callbacks, onStatus });
      clock.sleeps.map(Math.round).should.eql([5500, 0, 1173, 1292]);
    });
  });
});
