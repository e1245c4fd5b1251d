import { randomUUID } from 'node:crypto';
import should from 'should';
import type { Client, ListRecords } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import { dropConnection, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { loseReply } from '../../helpers/socket-faults.js';
import { registerClientBench } from '../support/client-bench.js';

const DELETE = /^\/web-api\/operation\//;

describe('Client', () => {
  let service: FakeService;
  let client: Client;
  registerClientBench((bench) => ({ service, client } = bench));
  beforeEach(() => {
    service.features = ['cancel', 'delete', 'list'];
  });

  const collect = async <K extends keyof ListRecords>(kind: K, options = {}) => {
    const records: ListRecords[K][] = [];
    for await (const record of client.list(kind, options)) records.push(record);
    return records;
  };

  describe('cancel', () => {
    it('cancels an operation and returns its status', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      const status = await client.cancel(operationId);
      status.should.containDeep({ operationId, isCompleted: true, isSuccessful: false, error: { code: 42217 } });
      should(service.requests.at(-1)).have.properties({
        method: 'DELETE',
        path: `/web-api/operation/${operationId}`,
        body: '',
      });
    });

    it('ends the waits of the client for the operation, and no others', async () => {
      const [cancelled, other] = [1, 2].map(() => service.addOperation('repair', { pollsLeft: 1e9 }));
      const wait = (id = '') => client.wait(id, 'repair');
      const ended = Promise.all([expectClientError(wait(cancelled)), expectClientError(wait(cancelled))]);
      let isOtherEnded = false;
      const otherWait = expectClientError(wait(other)).then(() => {
        isOtherEnded = true;
      });
      await client.cancel(cancelled ?? '');
      for (const error of await ended) error.should.have.properties({ code: 'OPERATION_FAILED', isCancelled: true });
      isOtherEnded.should.be.false();
      await client.close();
      await otherWait;
    });

    it('returns the status of a completed operation, which does not change', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 0 });
      (await client.cancel(operationId)).should.containEql({ isCompleted: true, isSuccessful: true });
      should((await client.wait(operationId, 'repair')).result.operationId).equal(operationId);
    });

    it('is repeated if the reply was lost', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      service.fault('DELETE', DELETE, loseReply, 2);
      (await client.cancel(operationId)).isCompleted.should.be.true();
    });

    it('renews a token that expired before the features were read', async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      await client.status(operationId);
      service.revokeTokens();
      (await client.cancel(operationId)).isCompleted.should.be.true();
    });

    it('throws NOT_FOUND for an unknown operation, INPUT_INVALID for an invalid id, ABORTED on its signal', async () => {
      (await expectClientError(client.cancel(randomUUID()))).code.should.equal('NOT_FOUND');
      (await expectClientError(client.cancel('../file'))).code.should.equal('INPUT_INVALID');
      const aborted = client.cancel(randomUUID(), { signal: AbortSignal.abort() });
      (await expectClientError(aborted)).code.should.equal('ABORTED');
    });
  });

  describe('remove', () => {
    it('deletes a file, and returns and ends the operations that this cancelled', async () => {
      const fileId = service.addFile(Buffer.from('x'));
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      const waiting = expectClientError(client.wait(operationId, 'repair'));
      (await client.remove(fileId)).should.deepEqual({ cancelledOperations: [operationId] });
      (await waiting).isCancelled.should.be.true();
      service.files.size.should.equal(0);
    });

    it('succeeds if the file is deleted already, so that it can be repeated after a lost reply', async () => {
      const fileId = service.addFile(Buffer.from('x'));
      service.fault('DELETE', DELETE, loseReply);
      (await client.remove(fileId)).should.deepEqual({ cancelledOperations: [] });
    });

    it('throws NOT_FOUND for an unknown id, and INPUT_INVALID for an invalid one', async () => {
      service.fault('DELETE', DELETE, replyWithError(404, 'You have no file with this id.'));
      (await expectClientError(client.remove(randomUUID()))).code.should.equal('NOT_FOUND');
      (await expectClientError(client.remove('..'))).code.should.equal('INPUT_INVALID');
    });
  });

  describe('list', () => {
    it('reads the operations of all pages, newest first', async () => {
      const ids = Array.from({ length: 7 }, () => service.addOperation('import', { pollsLeft: 0 }));
      const records = await collect('operations', { pageSize: 3 });
      records.map(({ operationId }) => operationId).should.deepEqual(ids.toReversed());
      should(records[0]).containEql({ operation: 'import', isCompleted: true, isSuccessful: true });
      should(records[0]?.resultId).equal(service.operations.get(ids[6] ?? '')?.result.resultId);
      service.requests
        .filter(({ method, path }) => method === 'GET' && path !== '/formats')
        .map(({ path }) => path)
        .should.deepEqual([
          '/web-api/operation?limit=3',
          `/web-api/operation?limit=3&before=${ids[4]}`,
          `/web-api/operation?limit=3&before=${ids[1]}`,
        ]);
    });

    it('reads no further page if the loop ends', async () => {
      for (let count = 0; count < 7; count += 1) service.addOperation('import');
      for await (const _record of client.list('operations', { pageSize: 2 })) break;
      service.count('GET', /^\/web-api\/operation/).should.equal(1);
    });

    it('reads files and models', async () => {
      const common = { filename: 'a.stl', size: 84, creationDate: '2024-05-06T07:08:09.1230000+00:00' };
      const files = [
        { kind: 'model', resultId: randomUUID(), ...common },
        { kind: 'file', fileId: randomUUID(), ...common, sha256: 'ab'.repeat(32) },
      ];
      service.fault('GET', /^\/web-api\/operation\/file$/, replyWith(200, { files: [...files] }));
      (await collect('files')).should.deepEqual(files);
    });

    it('throws BAD_REPLY for an invalid entry, and for pages that would never end', async () => {
      const page = (body: object) => service.fault('GET', /^\/web-api\/operation/, replyWith(200, body), 4);
      for (const body of [
        {},
        { operations: {} },
        { operations: [{ operationId: 'x', isCompleted: true, isSuccessful: true }] },
        { operations: [], next: randomUUID() },
      ]) {
        page(body);
        (await expectClientError(collect('operations'))).code.should.equal('BAD_REPLY');
      }
      const fields = { kind: 'file', fileId: randomUUID(), filename: 'a.stl', creationDate: 'today' };
      for (const size of [undefined, '84', -1]) {
        page({ files: [{ ...fields, size }] });
        (await expectClientError(collect('files'))).code.should.equal('BAD_REPLY');
      }
    });

    it('ends with ABORTED on its signal, and when the client is closed', async () => {
      for (let count = 0; count < 4; count += 1) service.addOperation('import');
      const controller = new AbortController();
      const read = async (onRecord: () => unknown, options = {}) => {
        for await (const _record of client.list('operations', { pageSize: 1, ...options })) await onRecord();
      };
      const aborted = read(() => controller.abort(), { signal: controller.signal });
      (await expectClientError(aborted)).code.should.equal('ABORTED');
      (await expectClientError(read(() => client.close()))).code.should.equal('ABORTED');
    });

    it('throws a TypeError for an invalid page size and an unknown list', () => {
      for (const pageSize of [0, 1001, 1.5, Number.NaN])
        (() => client.list('files', { pageSize })).should.throw(TypeError);
      // JavaScript callers can pass other values.
      (() => client.list('users' as 'files')).should.throw(TypeError);
    });
  });

  for (const [title, fault, code] of [
    ['is refused with 401', replyWithError(401, 'No.'), 'REFUSED'],
    ['fails', dropConnection, 'CONNECTION_FAILED'],
  ] as const)
    it(`throws ${code}, without a request, if the page with the features ${title}; then asks again at once`, async () => {
      const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
      service.fault('GET', /^\/formats$/, fault, 99);
      const error = await expectClientError(client.cancel(operationId));
      error.code.should.equal(code);
      error.message.should.match(/^Could not cancel operation .*\. Could not read \/formats of the service: /);
      service.count('DELETE', /./).should.equal(0);
      service.clearFaults();
      (await client.cancel(operationId)).isCompleted.should.be.true();
    });

  it('throws REFUSED, without a request, if the service does not announce that it can cancel, remove or list', async () => {
    for (const features of [undefined, ['idempotency-key']]) {
      service.features = features;
      const calls = [() => client.cancel(randomUUID()), () => client.remove(randomUUID()), () => collect('files')];
      for (const call of calls) {
        const error = await expectClientError(call());
        error.code.should.equal('REFUSED');
        error.message.should.match(/^Could not (cancel|remove|list) .*: the service does not support it\.$/);
      }
    }
    service.count('DELETE', /./).should.equal(0);
    service.count('GET', /^\/web-api/).should.equal(0);
  });
});
