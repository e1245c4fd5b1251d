import { randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { dropConnection, type Fault, neverReply, replyWith, replyWithError } from '../helpers/fake-replies.js';
import { FakeService } from '../helpers/fake-service.js';
import { raw, refuseEarly, reset } from '../helpers/socket-faults.js';
import { createFlow, createRemoteService, FlowBench } from './support/flow-bench.js';

const UPLOAD = /operation\/file$/;
const FILE = /operation\/file\//;
const SECRETS = /secret-of-the-client|pass word|pass\+word|access-token|refresh-token|Basic /;

describe('faults in a flow', () => {
  let service: FakeService;
  let bench: FlowBench;
  let folder: string;
  let unhandledRejections: unknown[];
  const recordRejection = (error: unknown) => unhandledRejections.push(error);

  beforeEach(async () => {
    service = await FakeService.start();
    folder = await mkdtemp(path.join(os.tmpdir(), 'node-faults-'));
    unhandledRejections = [];
    process.prependListener('unhandledRejection', recordRejection);
  });
  afterEach(async () => {
    await bench.close();
    process.off('unhandledRejection', recordRejection);
    await service.stop();
    await rm(folder, { recursive: true, force: true });
    unhandledRejections.should.be.empty();
  });

  const flow = (node: { type: string; [setting: string]: unknown }) =>
    createFlow(node, createRemoteService(service.account));
  const open = async (node: { type: string; [setting: string]: unknown }) => {
    bench = await FlowBench.start(flow(node), { credentials: { service: service.account } });
  };
  const without = (node: { type: string }) => flow(node).filter(({ id }) => id !== 'node');
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
      } catch {
        return false; // closed in the meantime
      }
    }).length;
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
      openFiles().should.equal(0);
    });

    it('aborts an upload from a stream of unknown length, and deletes its temporary file', async () => {
      const countTemporaryFiles = () =>
        readdirSync(os.tmpdir()).filter((name) => name.startsWith('model-upload-')).length;
      const before = countTemporaryFiles();
      const node = { type: 'model-processing-upload' };
      await open(node);
      let isRead = false;
      const stream = new Readable({
        read() {
          isRead = true; // never pushes data
        },
      });
      bench.send({ payload: stream, filename: 'part.stl' });
      await bench.until(() => isRead && countTemporaryFiles() > before);
      await bench.deploy(without(node));
      assertNothingSent();
      countTemporaryFiles().should.equal(before);
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
      readdirSync(folder).should.be.empty();
      openFiles().should.equal(0);
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

  describe('a service node', () => {
    for (const [description, change] of [
      ['is missing', undefined],
      ['is disabled', { d: true }],
      ['is of another type', { type: 'helper' }],
    ] as const) {
      it(`that ${description} raises NOT_CONFIGURED for each message`, async () => {
        const config = change && { ...createRemoteService(service.account), ...change };
        const node = { type: 'model-processing-repair', service: 'service' };
        bench = await FlowBench.start(config ? createFlow(node, config) : createFlow(node), {});
        for (let i = 0; i < 3; i += 1) {
          bench.send({ payload: { resultId: randomUUID() } });
          (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
        }
        should(bench.completed.get('node')).equal(3);
        service.requests.should.be.empty();
      });
    }

    it('that is deployed with another address sends the next message there', async () => {
      const other = await FakeService.start();
      try {
        const node = { type: 'model-processing-repair' };
        await open(node);
        bench.send({ payload: { resultId: randomUUID() } });
        await bench.next();
        await bench.deploy(createFlow(node, createRemoteService(other.account)), 'nodes');
        bench.send({ payload: { resultId: randomUUID() } });
        await bench.next();
        service.operations.size.should.equal(1);
        other.operations.size.should.equal(1);
      } finally {
        await other.stop();
      }
    });
  });

  describe('a message', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const [description, type, msg, code] of [
      ['without properties', 'upload', {}, 'INPUT_MISSING'],
      ['with a payload of null', 'upload', { payload: null }, 'INPUT_MISSING'],
      ['with a number as payload', 'upload', { payload: 7 }, 'INPUT_INVALID'],
      ['with a cyclic payload', 'upload', { payload: cyclic }, 'INPUT_INVALID'],
      [
        'with file content as a string',
        'upload',
        { payload: 'solid x\nendsolid x\n', filename: 'x.stl' },
        'INPUT_INVALID',
      ],
      ['with the path of a missing file', 'upload', { payload: '/nowhere/part.stl' }, 'FILE_UNREADABLE'],
      ['with an empty Buffer', 'upload', { payload: Buffer.alloc(0), filename: 'x.stl' }, 'FILE_UNREADABLE'],
      [
        'with a stream of objects',
        'upload',
        { payload: () => Readable.from([{ x: 1 }]), filename: 'x.stl' },
        'FILE_UNREADABLE',
      ],
      ['without an id', 'repair', { payload: {} }, 'INPUT_MISSING'],
      ['with an array as id', 'repair', { payload: { resultId: ['x'] } }, 'INPUT_INVALID'],
      ['with a relative path as id', 'download', { payload: { fileId: '../../Token' } }, 'INPUT_INVALID'],
      ['with a string as msg.model', 'repair', { payload: {}, model: 'x' }, 'INPUT_MISSING'],
    ] as [string, string, Record<string, unknown>, string][]) {
      it(`${description} at ${type} raises ${code} in one done and stays unchanged`, async () => {
        await open({ type: `model-processing-${type}` });
        const payload = typeof msg.payload === 'function' ? msg.payload() : msg.payload;
        bench.send({ ...msg, payload, topic: 'mine' });
        const failed = await bench.next('errors');
        failed.error.code.should.equal(code);
        // A Catch node receives a copy, and streams cannot be copied.
        if (!(payload instanceof Readable)) should(failed.payload).deepEqual(payload);
        failed.topic.should.equal('mine');
        should(failed.model).equal(msg.model);
        should(bench.completed.get('node')).equal(1);
        service.requests.should.be.empty();
      });
    }

    it('with a failing stream raises NOT_CONFIGURED at a node without a service', async () => {
      bench = await FlowBench.start(createFlow({ type: 'model-processing-upload' }));
      const payload = createReadStream('/nowhere/part.stl');
      bench.send({ payload, filename: 'part.stl' });
      (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
      await bench.until(() => payload.closed);
    });

    it('with a getter that throws ends in an error without terminating Node-RED', async () => {
      await open({ type: 'model-processing-repair' });
      const payload = new Proxy(
        {},
        {
          get: () => {
            throw new RangeError('This payload cannot be read.');
          },
        },
      );
      bench.send({ payload });
      // The message for the Catch node is a copy, which cannot be created. So only the status is checked.
      await bench.until(() => bench.status()?.fill === 'red');
    });

    it('of 1,000 concurrent ones ends in one done each, with QUEUE_FULL beyond the queue', async () => {
      bench = await FlowBench.start(flow({ type: 'model-processing-download' }), {
        credentials: { service: service.account },
        settings: { nodeMessageBufferMaxLength: 50 },
      });
      const fileId = service.addFile(Buffer.from('x'));
      for (let i = 0; i < 1_000; i += 1) bench.send({ payload: { fileId } });
      await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') === 1_000);
      should(bench.completed.get('node')).equal(1_000);
      bench.countUnread('out').should.be.aboveOrEqual(50);
      (await bench.next('errors')).error.code.should.equal('QUEUE_FULL');
    });
  });

  it('of the service bring no secret into a message, a status or the log, and leave no partial file', async () => {
    const secretText = 'pass word & sign secret-of-the-client Bearer access-token-1';
    const faults: Fault[] = [
      replyWithError(400, secretText),
      replyWithError(404, secretText),
      replyWith(302, secretText, { Location: `http://${encodeURI('pass word')}/` }),
      refuseEarly(413, secretText),
    ];
    const types = ['upload', 'download', 'repair'];
    const nodes = types.map((type) => ({
      id: type,
      z: 'tab',
      x: 1,
      y: 1,
      type: `model-processing-${type}`,
      service: 'service',
      wires: [['out']],
      ...(type === 'download' && { target: 'file', path: `${folder}/`, pathType: 'str' }),
    }));
    bench = await FlowBench.start([...flow({ type: 'model-processing-wait' }), ...nodes], {
      credentials: { service: service.account },
    });
    for (const fault of faults) {
      for (const [type, msg, method, path_] of [
        ['upload', { payload: Buffer.from('x'), filename: 'a.stl' }, 'POST', UPLOAD],
        ['download', { payload: { fileId: service.addFile(Buffer.from('x')) } }, 'GET', FILE],
        ['repair', { payload: { resultId: randomUUID() } }, 'POST', /repair$/],
      ] as const) {
        service.fault(method, path_, fault);
        bench.send(msg, type);
        JSON.stringify(await bench.next('errors')).should.not.match(SECRETS);
      }
    }
    JSON.stringify([...bench.statuses.values()]).should.not.match(SECRETS);
    JSON.stringify(helper.log().args).should.not.match(SECRETS);
    readdirSync(folder).should.be.empty();
  });

  it('of different kinds in turn let each message end, and downloaded files are complete', async () => {
    const bytes = Buffer.alloc(1 << 20, 'y');
    const faults: Fault[] = [reset, raw('garbage\r\n\r\n'), dropConnection, replyWithError(503, 'later')];
    let count = 0;
    service.fault(
      'GET',
      FILE,
      (request, reply) => {
        count += 1;
        return count % 3 === 0 ? faults[(count / 3) % faults.length]?.(request, reply) : false;
      },
      1e9,
    );
    await open({ type: 'model-processing-download' });
    const fileId = service.addFile(bytes);
    for (let i = 0; i < 20; i += 1) bench.send({ payload: { fileId } });
    await bench.until(() => bench.completed.get('node') === 20);
    while (bench.countUnread('out') > 0) (await bench.next()).payload.equals(bytes).should.be.true();
  });
});
