import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import 'should';
import { type Client, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerClientBench } from '../support/client-bench.js';

describe('Client', () => {
  let service: FakeService;
  let client: Client;
  registerClientBench((bench) => ({ service, client } = bench));

  const repair = (inputId: string = randomUUID()) => client.start('repair', { inputId });

  describe('rejects with INPUT_INVALID before any request', () => {
    for (const id of ['../../Token', 'x', '', `${randomUUID()}/..`, `${randomUUID()}\n`]) {
      it(`the id ${JSON.stringify(id).slice(0, 20)}`, async () => {
        (await expectClientError(client.status(id))).code.should.equal('INPUT_INVALID');
        (await expectClientError(client.result(id, 'repair'))).code.should.equal('INPUT_INVALID');
        (await expectClientError(client.wait(id, 'repair'))).code.should.equal('INPUT_INVALID');
        (await expectClientError(client.download(id, { to: 'buffer' }))).code.should.equal('INPUT_INVALID');
        (await expectClientError(repair(id))).code.should.equal('INPUT_INVALID');
        service.requests.should.eql([]);
      });
    }

    it('an operation name with a slash', async () => {
      (await expectClientError(client.start('../file', {}))).code.should.equal('INPUT_INVALID');
      (await expectClientError(client.result(randomUUID(), 'a/b'))).code.should.equal('INPUT_INVALID');
      service.requests.should.eql([]);
    });
  });

  it('throws a TypeError for invalid options', () => {
    const account = (baseUrl: string) => () => createClient({ account: { ...service.account, baseUrl } });
    for (const url of ['', 'file:///etc', 'not a url', 'http://user:pw@host/']) account(url).should.throw(TypeError);
    const limit = (limits: object) => () => createClient({ account: service.account, limits });
    for (const limits of [
      { maxTries: 0 },
      { pollMinMs: Number.NaN },
      { idleTimeoutMs: Number.POSITIVE_INFINITY },
      { replyTimeoutMs: '5000' },
      { replyTimeoutMs: 2 ** 31 },
    ])
      limit(limits).should.throw(TypeError);
    (() => createClient({ account: service.account, limits: { pollMinMs: 20_000 } })).should.throw(TypeError);
  });

  it('rejects with a TypeError for an invalid number, before any request', async () => {
    const numbers: unknown[] = [Number.NaN, '5000', 0, -1, Number.POSITIVE_INFINITY, null, {}];
    const expectTypeError = (call: Promise<unknown>) => call.should.be.rejectedWith(TypeError);
    for (const value of numbers) {
      // JavaScript callers can pass other types.
      const number = value as number;
      await expectTypeError(client.wait(randomUUID(), 'repair', { timeoutMs: number }));
      await expectTypeError(client.download(randomUUID(), { to: 'buffer', maxBytes: number }));
      if (value === 0) continue;
      await expectTypeError(client.upload({ stream: Readable.from(['x']), filename: 'a.stl', size: number }));
    }
    service.requests.should.eql([]);
  });
});
