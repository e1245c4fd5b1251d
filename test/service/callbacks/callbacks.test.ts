import { createHmac } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import should from 'should';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import { createSigner } from '../../../src/service/callbacks/create-signer.js';
import {
  AddressNotAllowedError,
  type Lookup,
  postWithSsrfGuard,
} from '../../../src/service/callbacks/ssrf-guarded-post.js';
import { LIMITS } from '../../../src/service/defaults.js';
import type { RunningService, ServeOptions } from '../../../src/service/serve.js';
import { eventually } from '../../helpers/processes.js';
import { type Calls, logIn } from '../support/account.js';
import { useFolder } from '../support/data-folder.js';
import { CUBE } from '../support/models.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startService } from '../support/running.js';

describe('a callback', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;
  let receiver: Receiver | undefined;

  const start = async (statuses: number[], options: Partial<ServeOptions> = {}): Promise<Receiver> => {
    const limits = { ...LIMITS, callbackRetryDelaysMs: [0, 0, 0], ...options.limits };
    service = await startService(folder, { ...options, limits });
    api = await logIn(folder);
    receiver = await startReceiver(statuses);
    return receiver;
  };

  const importWith = async (callbackUrl: string, text = CUBE): Promise<string> => {
    const { body } = await api.upload(text, 'cube.stl');
    const started = await api.post('import', { fileId: body.fileId, callbackUrl });
    started.status.should.equal(200);
    await api.untilCompleted(started.body.operationId);
    return started.body.operationId;
  };

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    receiver = undefined;
  });

  afterEach(async () => {
    await service.close();
    await receiver?.close();
  });

  it('is a POST of the operation id and its success as a string', async () => {
    const { received, url } = await start([200]);
    const good = await importWith(url);
    await eventually('the first one has arrived', () => received.length === 1);
    const bad = await importWith(url, 'no STL');
    await eventually('both have arrived', () => received.length === 2);
    should(received.map(({ body }) => JSON.parse(body))).deepEqual([
      { operationId: good, isSuccessful: 'true' },
      { operationId: bad, isSuccessful: 'false' },
    ]);
    should(received[0]).match({ method: 'POST', url: '/done', type: /^application\/json/ });
  });

  it('is retried until it gets a 2xx reply', async () => {
    const { received, url } = await start([500, 503, 200]);
    await importWith(url);
    await eventually('it was delivered', () => received.length === 3);
    await importWith(url);
    await eventually('the next one arrived', () => received.length === 4);
    received[3]?.body.should.not.equal(received[2]?.body);
  });

  it('is given up after the last retry', async () => {
    const { received, url } = await start([500]);
    const id = await importWith(url);
    await eventually('all attempts were made', () => received.length === 4);
    await importWith(url);
    await eventually('all attempts of the next one were made', () => received.length === 8);
    received.filter(({ body }) => JSON.parse(body).operationId === id).should.have.length(4);
  });

  it('is not retried after a 410 reply', async () => {
    const { received, url } = await start([410, 200]);
    await importWith(url);
    await importWith(url);
    await eventually('the next one arrived', () => received.length === 2);
    received[0]?.body.should.not.equal(received[1]?.body);
  });

  it('to an address that is not allowed is not sent, and its operation succeeds', async () => {
    const { received, url } = await start([200], { isCallbackAllowed: parseAddressFilter('public') });
    const id = await importWith(url);
    (await api.get(`${id}/import/result`)).status.should.equal(200);
    should(received).be.empty();
  });

  it('is signed if there is a secret, with the same id for each attempt', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const { received, url } = await start([500, 200], { signCallback: createSigner(secret) });
    const id = await importWith(url);
    await eventually('it was delivered', () => received.length === 2);
    for (const { headers, body } of received) {
      should(headers['webhook-id']).equal(id);
      const signed = `${id}.${headers['webhook-timestamp']}.${body}`;
      const expected = createHmac('sha256', Buffer.alloc(24, 7)).update(signed).digest('base64');
      should(headers['webhook-signature']).equal(`v1,${expected}`);
    }
  });

  it('is counted by the outcome of its attempts, also if its address is not allowed', async () => {
    const { url } = await start([500, 200], { isCallbackAllowed: parseAddressFilter('127.0.0.1') });
    await importWith(url);
    await importWith('http://10.0.0.1/done');
    const count = (outcome: string): string => `model_processing_callback_attempts_total{outcome="${outcome}"} 1`;
    const seen = await eventually('all were counted', async () => {
      const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return ['delivered', 'retried', 'refused'].every((outcome) => text.includes(count(outcome))) ? text : '';
    });
    seen.should.match(/^model_processing_callbacks_due 0$/m);
  });

  it('that was due when the service stopped is sent after the next start', async () => {
    const { received, url } = await start([500, 200], { limits: { callbackRetryDelaysMs: [60_000] } });
    const id = await importWith(url);
    await eventually('the first attempt was made', () => received.length === 1);
    await service.close();
    let now = Date.now();
    now += 61_000;
    service = await startService(folder, { now: () => now });
    await eventually('it was sent', () => received.length === 2);
    should(JSON.parse(received[1]?.body ?? '').operationId).equal(id);
  });
});

describe('postWithSsrfGuard', () => {
  const signal = new AbortController().signal;
  let receiver: Receiver;

  const post = (url: string, rule: string, lookup?: Lookup): Promise<number> =>
    postWithSsrfGuard(url, '{}', { isAllowed: parseAddressFilter(rule), signal, timeoutMs: 5000, lookup });

  /** Creates a lookup that returns the next of `answers` on each call, then the last one. */
  const answering = (...answers: LookupAddress[][]): Lookup => {
    let lookupCount = 0;
    const lookup = (
      _name: string,
      _options: object,
      callback: (error: null, addresses: LookupAddress[]) => void,
    ): void => {
      callback(null, answers[Math.min(lookupCount++, answers.length - 1)] ?? []);
    };
    return lookup as Lookup; // the guard uses only this signature
  };

  beforeEach(async () => {
    receiver = await startReceiver([200]);
  });

  afterEach(() => receiver.close());

  const PRIVATE_HOSTS = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '①②⑦.⓪.⓪.①',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0',
  ];
  for (const host of PRIVATE_HOSTS) {
    it(`refuses ${host} with the filter "public"`, async () => {
      await post(`http://${host}:${receiver.port}/`, 'public').should.be.rejectedWith(AddressNotAllowedError);
      should(receiver.received).be.empty();
    });
  }

  it('does not send the username and password of a URL', async () => {
    (await post(`http://ann:secret@127.0.0.1:${receiver.port}/`, 'loopback')).should.equal(200);
    should(receiver.received[0]?.headers).not.have.property('authorization');
    await post(`http://8.8.8.8@127.0.0.1:${receiver.port}/`, 'public').should.be.rejectedWith(AddressNotAllowedError);
    should(receiver.received).have.length(1);
  });

  it('refuses a host name whose address is not allowed', async () => {
    const lookup = answering([{ address: '127.0.0.1', family: 4 }]);
    await post(`http://evil.example:${receiver.port}/`, 'public', lookup).should.be.rejectedWith(
      AddressNotAllowedError,
    );
    should(receiver.received).be.empty();
  });

  it('connects to the address that was checked, even if the name resolves to another one later', async () => {
    const lookup = answering([{ address: '127.0.0.1', family: 4 }], [{ address: '127.0.0.2', family: 4 }]);
    (await post(`http://rebind.example:${receiver.port}/`, '127.0.0.1', lookup)).should.equal(200);
    await post(`http://rebind.example:${receiver.port}/`, '127.0.0.1', lookup).should.be.rejectedWith(
      AddressNotAllowedError,
    );
    should(receiver.received).have.length(1);
  });

  it('connects to the allowed one of several addresses', async () => {
    const lookup = answering([
      { address: '10.0.0.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
    (await post(`http://both.example:${receiver.port}/`, 'loopback', lookup)).should.equal(200);
  });

  it('does not follow redirects', async () => {
    const redirecting = await startReceiver([302], { location: receiver.url });
    try {
      (await post(redirecting.url, 'loopback')).should.equal(302);
      should(receiver.received).be.empty();
    } finally {
      await redirecting.close();
    }
  });
});
