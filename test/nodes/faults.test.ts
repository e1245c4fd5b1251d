import { randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { answer, dropConnection, FakeService, type Fault, neverReply, refusal } from '../helpers/fake-service.js';
import { raw, refuseEarly, reset } from '../helpers/socket-faults.js';
import { FlowBench, flowOf, remoteService } from './support/flow-bench.js';

const UPLOAD = /operation\/file$/;
const FILE = /operation\/file\//;
const SECRETS = /secret-of-the-client|pass word|pass\+word|access-token|refresh-token|Basic /;

describe('faults that a flow meets', () => {
  let service: FakeService;
  let bench: FlowBench;
  let folder: string;
  let unheard: unknown[];
  const hear = (error: unknown) => unheard.push(error);

  beforeEach(async () => {
    service = await FakeService.start();
    folder = await mkdtemp(path.join(os.tmpdir(), 'node-faults-'));
    unheard = [];
    process.prependListener('unhandledRejection', hear);
  });
  afterEach(async () => {
    await bench.close();
    process.off('unhandledRejection', hear);
    await service.stop();
    await rm(folder, { recursive: true, force: true });
    unheard.should.be.empty();
  });

  const flow = (node: { type: string; [setting: string]: unknown }) => flowOf(node, remoteService(service.account));
  const open = async (node: { type: string; [setting: string]: unknown }) => {
    bench = await FlowBench.start(flow(node), { credentials: { service: service.account } });
  };
  const without = (node: { type: string }) => flow(node).filter(({ id }) => id !== 'node');
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(folder);
      } catch {
        return false; // closed meanwhile
      }
    }).length;
  const nothingCame = () => {
    bench.left('out').should.equal(0);
    bench.left('errors').should.equal(0);
    should(bench.completed.get('node')).be.undefined();
  };

  describe('a redeploy', () => {
    it('in the middle of an upload: ended, nothing sent or completed, the file closed, no connection left', async () => {
      const file = path.join(folder, 'part.stl');
      writeFileSync(file, Buffer.alloc(30 << 20));
      service.fault('POST', UPLOAD, (request) => void request.socket.pause());
      const node = { type: 'model-processing-upload' };
      await open(node);
      bench.send({ payload: file });
      await bench.until(() => service.count('POST', UPLOAD) === 1);
      await bench.deploy(without(node));
      nothingCame();
      openFiles().should.equal(0);
    });

    it('in the middle of an upload from a stream of unknown length: its temporary file is gone', async () => {
      const spools = () => readdirSync(os.tmpdir()).filter((name) => name.startsWith('model-upload-')).length;
      const before = spools();
      const node = { type: 'model-processing-upload' };
      await open(node);
      let isRead = false;
      const stream = new Readable({
        read() {
          isRead = true; // and nothing comes, ever
        },
      });
      bench.send({ payload: stream, filename: 'part.stl' });
      await bench.until(() => isRead && spools() > before);
      await bench.deploy(without(node));
      nothingCame();
      spools().should.equal(before);
      stream.destroyed.should.be.true();
    });

    it('in the middle of a download: ended, nothing sent or completed, no part of the file left', async () => {
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
      nothingCame();
      readdirSync(folder).should.be.empty();
      openFiles().should.equal(0);
    });

    for (const [what, fault] of [
      ['answers nothing', neverReply],
      ['asks for a pause of an hour', refusal(503, 'later', { 'Retry-After': '3600' })],
    ] as [string, Fault][]) {
      it(`while the service ${what}: the deploy does not wait for it, and nothing is sent later`, async () => {
        service.fault('POST', /repair$/, fault, 99);
        const node = { type: 'model-processing-repair' };
        await open(node);
        for (let i = 0; i < 20; i += 1) bench.send({ payload: { resultId: randomUUID() } });
        // As many as its service node sends at once: none of them is on its way any more.
        await bench.until(() => service.count('POST', /repair$/) === 8);
        await bench.deploy(without(node));
        nothingCame();
        const sent = service.count('POST', /repair$/);
        await bench.deploy(flow(node));
        nothingCame();
        service.count('POST', /repair$/).should.equal(sent);
      });
    }
  });

  describe('a service node', () => {
    for (const [what, change] of [
      ['missing', undefined],
      ['disabled', { d: true }],
      ['of another type', { type: 'helper' }],
    ] as const) {
      it(`that is ${what}: NOT_CONFIGURED for each message`, async () => {
        const config = change && { ...remoteService(service.account), ...change };
        const node = { type: 'model-processing-repair', service: 'service' };
        bench = await FlowBench.start(config ? flowOf(node, config) : flowOf(node), {});
        for (let i = 0; i < 3; i += 1) {
          bench.send({ payload: { resultId: randomUUID() } });
          (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
        }
        should(bench.completed.get('node')).equal(3);
        service.requests.should.be.empty();
      });
    }

    it('that gets another address while a message is on its way: the next message goes there', async () => {
      const other = await FakeService.start();
      try {
        const node = { type: 'model-processing-repair' };
        await open(node);
        bench.send({ payload: { resultId: randomUUID() } });
        await bench.next();
        await bench.deploy(flowOf(node, remoteService(other.account)), 'nodes');
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
    for (const [what, type, msg, code] of [
      ['with nothing in it', 'upload', {}, 'INPUT_MISSING'],
      ['with null', 'upload', { payload: null }, 'INPUT_MISSING'],
      ['with a number', 'upload', { payload: 7 }, 'INPUT_INVALID'],
      ['with an object that holds itself', 'upload', { payload: cyclic }, 'INPUT_INVALID'],
      [
        "with a file's content as text",
        'upload',
        { payload: 'solid x\nendsolid x\n', filename: 'x.stl' },
        'INPUT_INVALID',
      ],
      ['with a path to nothing', 'upload', { payload: '/nowhere/part.stl' }, 'FILE_UNREADABLE'],
      ['with an empty Buffer', 'upload', { payload: Buffer.alloc(0), filename: 'x.stl' }, 'FILE_UNREADABLE'],
      [
        'with a stream of objects',
        'upload',
        { payload: () => Readable.from([{ x: 1 }]), filename: 'x.stl' },
        'FILE_UNREADABLE',
      ],
      ['without an id', 'repair', { payload: {} }, 'INPUT_MISSING'],
      ['with a list for an id', 'repair', { payload: { resultId: ['x'] } }, 'INPUT_INVALID'],
      ['with an id that leads elsewhere', 'download', { payload: { fileId: '../../Token' } }, 'INPUT_INVALID'],
      ['with a model that is none', 'repair', { payload: {}, model: 'x' }, 'INPUT_MISSING'],
    ] as [string, string, Record<string, unknown>, string][]) {
      it(`${what}, at ${type}: ${code} in one done, and the message stays as it was`, async () => {
        await open({ type: `model-processing-${type}` });
        const payload = typeof msg.payload === 'function' ? msg.payload() : msg.payload;
        bench.send({ ...msg, payload, topic: 'mine' });
        const failed = await bench.next('errors');
        failed.error.code.should.equal(code);
        // A Catch node gets a copy, and no stream can be copied.
        if (!(payload instanceof Readable)) should(failed.payload).deepEqual(payload);
        failed.topic.should.equal('mine');
        should(failed.model).equal(msg.model);
        should(bench.completed.get('node')).equal(1);
        service.requests.should.be.empty();
      });
    }

    it('with a stream that breaks, at a node that has no service to send it to: NOT_CONFIGURED, and Node-RED lives', async () => {
      bench = await FlowBench.start(flowOf({ type: 'model-processing-upload' }));
      const payload = createReadStream('/nowhere/part.stl');
      bench.send({ payload, filename: 'part.stl' });
      (await bench.next('errors')).error.code.should.equal('NOT_CONFIGURED');
      await bench.until(() => payload.closed);
    });

    it('whose payload throws when it is read: an error in one done, and Node-RED lives', async () => {
      await open({ type: 'model-processing-repair' });
      const payload = new Proxy(
        {},
        {
          get: () => {
            throw new RangeError('not to be read');
          },
        },
      );
      bench.send({ payload });
      // The Catch node's message is a copy of it, which cannot be made.
      await bench.until(() => bench.status()?.fill === 'red');
    });

    it('and 999 others at once: each ends in one done', async () => {
      bench = await FlowBench.start(flow({ type: 'model-processing-download' }), {
        credentials: { service: service.account },
        settings: { nodeMessageBufferMaxLength: 50 },
      });
      const fileId = service.addFile(Buffer.from('x'));
      for (let i = 0; i < 1_000; i += 1) bench.send({ payload: { fileId } });
      await bench.until(() => bench.left('out') + bench.left('errors') === 1_000);
      should(bench.completed.get('node')).equal(1_000);
      bench.left('out').should.be.aboveOrEqual(50);
      (await bench.next('errors')).error.code.should.equal('QUEUE_FULL');
    });
  });

  it('no fault of the service: brings a secret into a message, a status or the log, or leaves a part of a file', async () => {
    const spill = 'pass word & sign secret-of-the-client Bearer access-token-1';
    const faults: Fault[] = [
      refusal(400, spill),
      refusal(404, spill),
      answer(302, spill, { Location: `http://${encodeURI('pass word')}/` }),
      refuseEarly(413, spill),
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

  it('a service that resets, garbles and refuses in turns: each message ends, and the files that came are whole', async () => {
    const bytes = Buffer.alloc(1 << 20, 'y');
    const turns: Fault[] = [reset, raw('garbage\r\n\r\n'), dropConnection, refusal(503, 'later')];
    let count = 0;
    service.fault(
      'GET',
      FILE,
      (request, reply) => {
        count += 1;
        return count % 3 === 0 ? turns[(count / 3) % turns.length]?.(request, reply) : false;
      },
      1e9,
    );
    await open({ type: 'model-processing-download' });
    const fileId = service.addFile(bytes);
    for (let i = 0; i < 20; i += 1) bench.send({ payload: { fileId } });
    await bench.until(() => bench.completed.get('node') === 20);
    while (bench.left('out') > 0) (await bench.next()).payload.equals(bytes).should.be.true();
  });
});
