import { randomUUID } from 'node:crypto';
import should from 'should';
import { type Client, createClient } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { answer, FakeService, type Fault } from '../../helpers/fake-service.js';
import { InstantClock } from '../../helpers/instant-clock.js';
import { drip, flood, raw } from '../../helpers/socket-faults.js';

const START = /operation\/repair$/;
const STATUS = /\/status$/;
const RESULT = /\/result$/;
const UPLOAD = /operation\/file$/;
const ID = '6f1c2b1e-0000-4000-8000-000000000001';

describe('replies that make no sense', () => {
  let service: FakeService;
  let client: Client;

  beforeEach(async () => {
    service = await FakeService.start();
    client = createClient({
      account: service.account,
      limits: { replyTimeoutMs: 500, maxTries: 2 },
      ...new InstantClock(),
    });
  });
  afterEach(async () => {
    await client.close();
    await service.stop();
  });

  const repair = () => client.start('repair', { inputId: randomUUID() });

  /** Replies that come whole: whatever they say, the service has answered. */
  const whole200: [what: string, fault: Fault][] = [
    ['a web page', answer(200, '<!doctype html><title>Log in</title>', { 'Content-Type': 'text/html' })],
    ['nothing', answer(200, '')],
    ['broken JSON', answer(200, '{"operationId":')],
    ['NaN', answer(200, '{"operationId":NaN}')],
    ['a list', answer(200, [])],
    ['an object without the fields', answer(200, {})],
    ['another status of success', answer(202, { operationId: ID })],
  ];
  const broken: [what: string, fault: Fault][] = [
    ['no HTTP at all', raw('220 mail.example.test ESMTP\r\n')],
    ['two lengths', raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}')],
    [
      'a length and chunks',
      raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    ],
    ['a chunk that is none', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}')],
    ['a header without end', raw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n{}`)],
    ['a thousand provisional replies and no other', raw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))],
  ];
  for (const [what, fault] of [...whole200, ...broken]) {
    it(`${what}: reading is repeated`, async () => {
      service.fault('GET', STATUS, fault);
      (await client.status(service.addOperation('repair'))).isCompleted.should.be.true();
      service.count('GET', STATUS).should.equal(2);
    });

    it(`${what}: an upload is ${broken.some(([other]) => other === what) ? 'repeated' : 'not repeated'}`, async () => {
      service.fault('POST', UPLOAD, fault);
      const upload = client.upload({ data: Buffer.from('x'), filename: 'a.stl' });
      if (broken.some(([other]) => other === what)) {
        (await upload).should.have.property('fileId');
        service.count('POST', UPLOAD).should.equal(2);
      } else {
        (await expectClientError(upload)).code.should.equal('BAD_REPLY');
        service.count('POST', UPLOAD).should.equal(1);
      }
    });

    it(`${what}: a start is not repeated, and its outcome is unknown`, async () => {
      service.fault('POST', START, fault, 9);
      const error = await expectClientError(repair());
      error.code.should.equal('OUTCOME_UNKNOWN');
      service.count('POST', START).should.equal(1);
    });
  }

  const whole = { operationId: ID, isCompleted: true, isSuccessful: true };
  for (const [field, wrong] of [
    ['isCompleted', 'true'],
    ['isCompleted', 1],
    ['isCompleted', undefined],
    ['isSuccessful', 'false'],
    ['isSuccessful', null],
    ['operationId', 7],
    ['operationId', '../../Token'],
  ] as const) {
    it(`a status whose ${field} is ${JSON.stringify(wrong) ?? 'missing'}: an error that names the field`, async () => {
      service.fault('GET', STATUS, answer(200, { ...whole, [field]: wrong }), 9);
      const error = await expectClientError(client.status(ID));
      error.code.should.equal('BAD_REPLY');
      error.message.should.containEql(`"${field}"`);
    });
  }

  for (const [field, wrong] of [
    ['fileId', '../x'],
    ['fileId', undefined],
  ] as const) {
    it(`an upload whose ${field} is ${JSON.stringify(wrong) ?? 'missing'}: an error that names the field`, async () => {
      const reply = { creationDate: '2024-05-06T07:08:09+00:00', fileUrl: 'https://x.test/', [field]: wrong };
      service.fault('POST', UPLOAD, answer(200, reply), 9);
      const error = await expectClientError(client.upload({ data: Buffer.from('x'), filename: 'a.stl' }));
      error.code.should.equal('BAD_REPLY');
      error.message.should.containEql(`"${field}"`);
    });
  }

  for (const field of ['creationDate', 'fileUrl']) {
    for (const value of [undefined, null, 20240101]) {
      it(`an upload whose ${field} is ${JSON.stringify(value) ?? 'missing'}: taken all the same, without it`, async () => {
        const record = { creationDate: '2024-05-06T07:08:09+00:00', fileUrl: 'https://x.test/', [field]: value };
        const reply = { fileId: ID, ...record };
        service.fault('POST', UPLOAD, answer(200, reply));
        const file = await client.upload({ data: Buffer.from('x'), filename: 'a.stl' });
        file.fileId.should.equal(ID);
        file.should.not.have.property(field);
        service.count('POST', UPLOAD).should.equal(1);
      });
    }
  }

  it('a result whose id is none: an error, before it could enter a path', async () => {
    service.fault('GET', RESULT, answer(200, { operationId: ID, resultId: '../../Token' }), 9);
    (await expectClientError(client.result(ID, 'repair'))).message.should.containEql('"resultId"');
    service.fault('POST', START, answer(200, { operationId: 'x/../../Token' }));
    (await expectClientError(repair())).message.should.containEql('"operationId"');
  });

  it('the status of another operation: not taken for this one', async () => {
    service.fault('GET', STATUS, answer(200, whole));
    const operationId = service.addOperation('repair', { looksLeft: 3 });
    (await client.status(operationId)).should.containEql({ operationId, isCompleted: false });
  });

  it('keys twice: the last one counts, and nothing else is touched', async () => {
    const text = `{"operationId":"${ID}","isCompleted":false,"isSuccessful":false,"isCompleted":true}`;
    service.fault('GET', STATUS, answer(200, text));
    (await client.status(ID)).should.deepEqual({ operationId: ID, isCompleted: true, isSuccessful: false });
  });

  it('keys that could reach a prototype, at any depth: dropped', async () => {
    const evil =
      '{"__proto__":{"isEvil":true},"constructor":{"prototype":{"isEvil":true}},"deep":{"__proto__":{"isEvil":1}}}';
    service.fault('GET', RESULT, answer(200, `{"operationId":"${ID}","resultId":"${ID}","more":${evil}}`));
    const { more } = await client.result(ID, 'repair');
    should(more).deepEqual({ deep: {} });
    should(Object.create(null).isEvil ?? Object.prototype).not.have.property('isEvil');
  });

  it('JSON as deep as 1 MiB allows: an error, no crash', async () => {
    const depth = 500_000;
    service.fault('GET', STATUS, answer(200, `${'['.repeat(depth)}${']'.repeat(depth)}`), 9);
    (await expectClientError(client.status(ID))).code.should.equal('BAD_REPLY');
  });

  it('JSON without end: given up after 1 MiB', async () => {
    let sentBytes = 0;
    const fault = flood((byteCount) => {
      sentBytes += byteCount;
    });
    service.fault('GET', STATUS, fault, 9);
    (await expectClientError(client.status(ID))).message.should.containEql('longer than 1048576 bytes');
    // Two tries, and what the system's buffers take.
    sentBytes.should.be.below(40 << 20);
  });

  it('a byte now and then: the call as a whole has its time, and no more', async () => {
    service.fault('GET', STATUS, drip, 9);
    const error = await expectClientError(client.status(ID));
    error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
    error.message.should.containEql('no reply within 0.5 s');
  });
});
