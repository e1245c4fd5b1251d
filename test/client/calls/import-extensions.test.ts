import 'should';
import { CLIENT_DEFAULTS, type Client, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, neverReply, replyWith } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { InstantClock } from '../../helpers/instant-clock.js';
import { registerClientBench } from '../support/client-bench.js';

const FORMATS = /^\/formats$/;

describe('Client.importExtensions', () => {
  let service: FakeService;
  let client: Client;
  let clock: InstantClock;
  registerClientBench(
    (bench) => ({ service, client, clock } = bench),
    () => ({ idempotencyKeys: true }),
  );

  it('returns the extensions of all import formats, lower case and without a dot', async () => {
    const formats = {
      import: [
        { id: 'stl', extensions: ['stl'] },
        { id: 'step', extensions: ['.STEP', 'stp', 'stp'] },
      ],
    };
    service.fault('GET', FORMATS, replyWith(200, formats));
    (await client.importExtensions()).should.deepEqual(['stl', 'step', 'stp']);
  });

  it('returns no extensions if a format has none: the list is incomplete', async () => {
    service.fault('GET', FORMATS, replyWith(200, { import: [{ id: 'stl', extensions: ['stl'] }, { id: 'obj' }] }));
    (await client.importExtensions()).should.be.empty();
  });

  it('returns no extensions if the service recognizes files by their content', async () => {
    const formats = { import: [{ id: 'stl', extensions: ['stl'] }], features: ['content-recognition'] };
    service.fault('GET', FORMATS, replyWith(200, formats));
    (await client.importExtensions()).should.be.empty();
  });

  for (const status of [401, 403, 404])
    it(`returns no extensions after ${status}, with one request and one token`, async () => {
      service.fault('GET', FORMATS, replyWith(status, {}), 9);
      (await client.importExtensions()).should.be.empty();
      service.requests.map(({ path }) => path).should.deepEqual(['/Token', '/formats']);
    });

  for (const status of [404, 410, 302, 501])
    it(`remembers for five minutes that the service replied ${status}, for all that needs the page`, async () => {
      service.fault('GET', FORMATS, replyWith(status, {}), 99);
      for (let round = 0; round < 3; round += 1) {
        await client.importExtensions();
        await client.operationNames();
        await client.upload({ data: Buffer.from('solid'), filename: 'part.stl' });
      }
      service.count('GET', FORMATS).should.equal(1);
      clock.time += CLIENT_DEFAULTS.featuresValidMs;
      await client.importExtensions();
      service.count('GET', FORMATS).should.equal(2);
    });

  it('throws after a server error or a lost connection, without another attempt', async () => {
    for (const [fault, code] of [
      [replyWith(500, {}), 'REFUSED'],
      [dropConnection, 'CONNECTION_FAILED'],
    ] as const) {
      service.fault('GET', FORMATS, fault, 9);
      const before = service.count('GET', FORMATS);
      (await expectClientError(client.importExtensions())).code.should.equal(code);
      service.count('GET', FORMATS).should.equal(before + 1);
      service.clearFaults();
    }
  });

  it('throws TIMEOUT if the service does not reply, without another attempt', async () => {
    service.fault('GET', FORMATS, neverReply, 9);
    // Limits this request only, not that of the token.
    const hasty = createClient({ account: service.account, limits: { featuresTimeoutMs: 100 } });
    (await expectClientError(hasty.importExtensions())).code.should.equal('TIMEOUT');
    await hasty.close();
    service.count('GET', FORMATS).should.be.belowOrEqual(1); // 0 if there was no connection in time
  });
});
