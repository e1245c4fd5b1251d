import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import should from 'should';
import { listOpenFiles } from '../../helpers/active-resources.js';
import { type Fault, neverReply, replyWithError } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { FlowBench } from '../support/flow-bench.js';
import { registerFaultyFlow } from './support/faulty-flow.js';

const UPLOAD = /operation\/file$/;
const FILE = /operation\/file\//;

describe('faults in a flow', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { folder, flow, open } = registerFaultyFlow((opened) => ({ service, bench } = opened));

  const without = (node: { type: string }) => flow(node).filter(({ id }) => id !== 'node');
  const openFiles = () => listOpenFiles().filter((name) => name.startsWith(folder)).length;
  const assertNothingSent = () => {
    bench.countUnread('out').should.equal(0);
    bench.countUnread('errors').should.equal(0);
    should(bench.completed.get('node')).be.undefined();
  };

  describe('a redeploy', () => {
    it('aborts an upload: sends and completes nothing, and closes the file and the connection', async () => {
      const file = path.join(folder, 'part.stl');
      writeFileSync(file, Buffer.alloc(30 << 20));
      service.fault('POST', UPLOAD, (request) => void request.socket.pause());
      const node = { type: 'model-processing-upload' };
      await open(node);
      bench.send({ payload: file });
      await bench.until(() => service.count('POST', UPLOAD) === 1);
      await bench.deploy(without(node));
      assertNothingSent();
      await bench.until(() => openFiles() === 0);
    });

    it('aborts an upload from a stream of unknown length, and deletes its temporary file', async () => {
      const node = { type: 'model-processing-upload' };
      await open(node);
      const spoolDir = path.join(bench.userDir, 'model-processing-spool');
      const countTemporaryFiles = () => (existsSync(spoolDir) ? readdirSync(spoolDir).length : 0);
      let isRead = false;
      const stream = new Readable({
        read() {
          isRead = true; // never pushes data
        },
      });
      bench.send({ payload: stream, filename: 'part.stl' });
      await bench.until(() => isRead && countTemporaryFiles() > 0);
      await bench.deploy(without(node));
      assertNothingSent();
      await bench.until(() => countTemporaryFiles() === 0);
      stream.destroyed.should.be.true();
    });

    it('aborts a download: sends and completes nothing, and deletes the partial file', async () => {
      const bytes = Buffer.alloc(8 << 20);
      service.fault('GET', FILE, (_request, reply) => {
        reply.writeHead(200, { 'Content-Length': String(bytes.length) });
        reply.write(bytes.subarray(0, 1 << 20));
      });
      const node = { type: 'model-processing-download', target: 'file', path: `${folder}/`, pathType: 'str' };
      await open(node);
      bench.send({ payload: { fileId: service.addFile(bytes) } });
      await bench.until(() => readdirSync(folder).length === 1);
      await bench.deploy(without(node));
      assertNothingSent();
      await bench.until(() => readdirSync(folder).length === 0 && openFiles() === 0);
    });

    for (const [description, fault] of [
      ['does not reply', neverReply],
      ['sends Retry-After: 3600', replyWithError(503, 'later', { 'Retry-After': '3600' })],
    ] as [string, Fault][]) {
      it(`does not wait for a service that ${description}, and sends nothing later`, async () => {
        service.fault('POST', /repair$/, fault, 99);
        const node = { type: 'model-processing-repair' };
        await open(node);
        for (let i = 0; i < 20; i += 1) bench.send({ payload: { resultId: randomUUID() } });
        // The concurrency of the service node. All of these requests have arrived.
        await bench.until(() => service.count('POST', /repair$/) === 8);
        await bench.deploy(without(node));
        assertNothingSent();
        const sent = service.count('POST', /repair$/);
        await bench.deploy(flow(node));
        assertNothingSent();
        service.count('POST', /repair$/).should.equal(sent);
      });
    }
  });
});
