import { randomUUID } from 'node:crypto';
import should from 'should';
import type { Client } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { type Fault, replyWith } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { drip, flood, raw } from '../../helpers/socket-faults.js';
import { registerClientBench } from '../support/client-bench.js';

const START = /operation\/repair$/;
const STATUS = /\/status$/;
const RESULT = /\/result$/;
const UPLOAD = /operation\/file$/;
const ID = '6f1c2b1e-0000-4000-8000-000000000001';

describe('Client with malformed replies', () => {
  let service: FakeService;
  let client: Client;
  const { reopenWithToken } = registerClientBench(
    (bench) => ({ service, client } = bench),
    () => ({ limits: { maxTries: 2 } }),
  );

  const repair = () => client.start('repair', { inputId: randomUUID() });

  /** Complete replies with invalid content, which prove that the service processed the request. */
  const invalidContent: [description: string, fault: Fault][] = [
    ['a web page', replyWith(200, '<!doctype html><title>Log in</title>', { 'Content-Type': 'text/html' })],
    ['an empty body', replyWith(200, '')],
    ['truncated JSON', replyWith(200, '{"operationId":')],
    ['NaN', replyWith(200, '{"operationId":NaN}')],
    ['an array', replyWith(200, [])],
    ['an object without the fields', replyWith(200, {})],
    ['a success status other than 200', replyWith(202, { operationId: ID })],
  ];
  /** Replies that violate HTTP. */
  const invalidHttp: [description: string, fault: Fault][] = [
    ['bytes that are not HTTP', raw('220 mail.example.test ESMTP\r\n')],
    ['two Content-Length headers', raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}')],
    [
      'Content-Length and chunked encoding',
      raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    ],
    ['an invalid chunk size', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}')],
    ['a header of 100,000 bytes', raw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n{}`)],
    ['1,000 informational replies without a final one', raw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))],
  ];
  for (const [description, fault] of [...invalidContent, ...invalidHttp]) {
    it(`retries a status request after ${description}`, async () => {
      service.fault('GET', STATUS, fault);
      (await client.status(service.addOperation('repair'))).isCompleted.should.be.true();
      service.count('GET', STATUS).should.equal(2);
    });

    const isUploadRetried = invalidHttp.some(([other]) => other === description);
    it(`${isUploadRetried ? 'retries' : 'does not retry'} an upload after ${description}`, async () => {
      service.fault('POST', UPLOAD, fault);
      const upload = client.upload({ data: Buffer.from('x'), filename: 'a.stl' });
      if (isUploadRetried) {
        (await upload).should.have.property('fileId');
        service.count('POST', UPLOAD).should.equal(2);
      } else {
        (await expectClientError(upload)).code.should.equal('BAD_REPLY');
        service.count('POST', UPLOAD).should.equal(1);
      }
    });

    it(`fails a start with OUTCOME_UNKNOWN after ${description}, without a retry`, async () => {
      service.fault('POST', START, fault, 9);
      const error = await expectClientError(repair());
      error.code.should.equal('OUTCOME_UNKNOWN');
      service.count('POST', START).should.equal(1);
    });
  }

  const completed = { operationId: ID, isCompleted: true, isSuccessful: true };
  for (const [field, value] of [
    ['isCompleted', 'true'],
    ['isCompleted', 1],
    ['isCompleted', undefined],
    ['isSuccessful', 'false'],
    ['isSuccessful', null],
    ['operationId', 7],
    ['operationId', '../../Token'],
  ] as const) {
    it(`names the field if ${field} of a status is ${JSON.stringify(value) ?? 'missing'}`, async () => {
      service.fault('GET', STATUS, replyWith(200, { ...completed, [field]: value }), 9);
      const error = await expectClientError(client.status(ID));
      error.code.should.equal('BAD_REPLY');
      error.message.should.containEql(`"${field}"`);
    });
  }

  for (const [field, value] of [
    ['fileId', '../x'],
    ['fileId', undefined],
  ] as const) {
    it(`names the field if ${field} of an upload is ${JSON.stringify(value) ?? 'missing'}`, async () => {
      const reply = { creationDate: '2024-05-06T07:08:09+00:00', fileUrl: 'https://x.test/', [field]: value };
      service.fault('POST', UPLOAD, replyWith(200, reply), 9);
      const error = await expectClientError(client.upload({ data: Buffer.from('x'), filename: 'a.stl' }));
      error.code.should.equal('BAD_REPLY');
      error.message.should.containEql(`"${field}"`);
    });
  }

  for (const field of ['creationDate', 'fileUrl']) {
    for (const value of [undefined, null, 20240101]) {
      it(`accepts an upload if ${field} is ${JSON.stringify(value) ?? 'missing'}, and omits the field`, async () => {
        const record = { creationDate: '2024-05-06T07:08:09+00:00', fileUrl: 'https://x.test/', [field]: value };
        const reply = { fileId: ID, ...record };
        service.fault('POST', UPLOAD, replyWith(200, reply));
        const file = await client.upload({ data: Buffer.from('x'), filename: 'a.stl' });
        file.fileId.should.equal(ID);
        file.should.not.have.property(field);
        service.count('POST', UPLOAD).should.equal(1);
      });
    }
  }

  it('names the field if an id is a path', async () => {
    service.fault('GET', RESULT, replyWith(200, { operationId: ID, resultId: '../../Token' }), 9);
    (await expectClientError(client.result(ID, 'repair'))).message.should.containEql('"resultId"');
    service.fault('POST', START, replyWith(200, { operationId: 'x/../../Token' }));
    (await expectClientError(repair())).message.should.containEql('"operationId"');
  });

  it('ignores the status of another operation and retries', async () => {
    service.fault('GET', STATUS, replyWith(200, completed));
    const operationId = service.addOperation('repair', { pollsLeft: 3 });
    (await client.status(operationId)).should.containEql({ operationId, isCompleted: false });
  });

  it('uses the last value of a duplicate key', async () => {
    const text = `{"operationId":"${ID}","isCompleted":false,"isSuccessful":false,"isCompleted":true}`;
    service.fault('GET', STATUS, replyWith(200, text));
    (await client.status(ID)).should.deepEqual({ operationId: ID, isCompleted: true, isSuccessful: false });
  });

  it('removes __proto__ and constructor keys at any depth', async () => {
    const evil =
      '{"__proto__":{"isEvil":true},"constructor":{"prototype":{"isEvil":true}},"deep":{"__proto__":{"isEvil":1}}}';
    service.fault('GET', RESULT, replyWith(200, `{"operationId":"${ID}","resultId":"${ID}","more":${evil}}`));
    const { more } = await client.result(ID, 'repair');
    should(more).deepEqual({ deep: {} });
    should(Object.create(null).isEvil ?? Object.prototype).not.have.property('isEvil');
  });

  it('fails with BAD_REPLY for JSON of 500,000 nested arrays', async () => {
    const depth = 500_000;
    service.fault('GET', STATUS, replyWith(200, `${'['.repeat(depth)}${']'.repeat(depth)}`), 9);
    (await expectClientError(client.status(ID))).code.should.equal('BAD_REPLY');
  });

  it('stops reading endless JSON after 1 MiB', async () => {
    let sentBytes = 0;
    const fault = flood((byteCount) => {
      sentBytes += byteCount;
    });
    service.fault('GET', STATUS, fault, 9);
    (await expectClientError(client.status(ID))).message.should.containEql('longer than 1048576 bytes');
    // Two attempts and the buffers of the operating system.
    sentBytes.should.be.below(40 << 20);
  });

  it('fails with TIMEOUT if a slow reply is not complete in time', async () => {
    await reopenWithToken({ limits: { replyTimeoutMs: 500, maxTries: 2 } });
    service.fault('GET', STATUS, drip, 9);
    const error = await expectClientError(client.status(ID));
    error.should.have.properties({ code: 'TIMEOUT', isTransient: true });
    error.message.should.containEql('no reply within 0.5 s');
  });
});
