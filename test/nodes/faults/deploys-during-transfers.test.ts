import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import 'should';
import should from 'should';
import { neverReply } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { FlowBench, FlowItem } from '../support/flow-bench.js';
import { registerFaultyFlow } from './support/faulty-flow.js';

const UPLOAD = /operation\/file$/;
const DOWNLOAD = /operation\/file\//;

describe('a deploy during a transfer', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { folder, flow, openFlow } = registerFaultyFlow((opened) => ({ service, bench } = opened));

  const keys = () =>
    service.requests.filter(({ path }) => UPLOAD.test(path)).map(({ headers }) => headers['idempotency-key']);
  /** Sends a message, and deploys `next` once its first transfer hangs. */
  const interrupt = async (
    nodes: FlowItem[],
    msg: Record<string, unknown>,
    next = nodes,
    onStopped: () => void = () => undefined,
  ) => {
    service.features = ['idempotency-key'];
    service.fault('POST', UPLOAD, neverReply);
    service.fault('GET', DOWNLOAD, neverReply);
    await openFlow(nodes);
    bench.send(msg);
    await bench.until(() => service.count('POST', UPLOAD) + service.count('GET', DOWNLOAD) > 0);
    service.clearFaults();
    await bench.deploy(next, 'full', onStopped);
  };
  const expectOneUpload = async () => {
    const { payload, model } = await bench.next();
    payload.should.have.properties('fileId', 'filename');
    should(model.isRepeat).be.undefined();
    should(bench.completed.get('node')).equal(1);
    keys().length.should.equal(2);
    new Set(keys()).size.should.equal(1);
    bench.countUnread('errors').should.equal(0);
  };

  it('uploads a Buffer again, with the same key', async () => {
    const res = { isResponse: true };
    const nodes = flow({ type: 'model-processing-upload' });
    service.features = ['idempotency-key'];
    service.fault('POST', UPLOAD, neverReply);
    await openFlow(nodes);
    bench.send({ payload: Buffer.from('solid x'), filename: 'part.stl', res });
    await bench.until(() => service.count('POST', UPLOAD) === 1);
    await bench.deploy(nodes);
    const msg = await bench.next();
    should(msg.res).equal(res);
    new Set(keys()).size.should.equal(1);
    bench
      .findLogLines(/Interrupted, to be repeated after the deploy unless Node-RED stops: upload of part\.stl/)
      .length.should.equal(1);
  });

  it('uploads the file of a path again, with the same key', async () => {
    const file = path.join(folder, 'part.stl');
    writeFileSync(file, 'solid x');
    await interrupt(flow({ type: 'model-processing-upload' }), { payload: file });
    await expectOneUpload();
  });

  it('uploads the file of a path again with another key, if it was changed meanwhile', async () => {
    const file = path.join(folder, 'part.stl');
    writeFileSync(file, 'solid x');
    const nodes = flow({ type: 'model-processing-upload' });
    await interrupt(nodes, { payload: file }, nodes, () => writeFileSync(file, 'solid changed'));
    await bench.next();
    new Set(keys()).size.should.equal(2);
  });

  it('is discarded with its node, with one line in the log', async () => {
    const message = { payload: Buffer.from('solid x'), filename: 'part.stl' };
    await interrupt(flow({ type: 'model-processing-upload' }), message, [{ id: 'tab', type: 'tab', label: 'test' }]);
    bench.findLogLines(/Discarded the upload of part\.stl: its node was removed/).length.should.equal(1);
    keys().length.should.equal(1);
  });

  it('uploads a bundled sample again, with the same key', async () => {
    await interrupt(flow({ type: 'model-processing-upload', source: 'bracket.stl', sourceType: 'sample' }), {});
    await expectOneUpload();
  });

  it('uploads messages that wait for a transfer, also streams', async () => {
    const nodes = flow({ type: 'model-processing-upload' });
    service.fault('POST', UPLOAD, neverReply, 4);
    await openFlow(nodes);
    for (let count = 0; count < 4; count += 1) bench.send({ payload: Buffer.from('x'), filename: 'part.stl' });
    await bench.until(() => service.count('POST', UPLOAD) === 4);
    bench.send({ payload: Readable.from(['solid x']), filename: 'stream.stl' });
    await bench.deploy(nodes);
    for (let count = 0; count < 5; count += 1) await bench.next();
    bench.countUnread('out').should.equal(0);
  });

  it('discards a stream that is being read, with one line in the log', async () => {
    const nodes = flow({ type: 'model-processing-upload' });
    await openFlow(nodes);
    const stream = new PassThrough();
    bench.send({ payload: stream, filename: 'part.stl' });
    await bench.until(() => stream.listenerCount('readable') > 0);
    await bench.deploy(nodes);
    bench.findLogLines(/Discarded the upload of part\.stl: a stream cannot be read again/).length.should.equal(1);
    stream.destroyed.should.be.true();
    should(bench.completed.get('node')).be.undefined();
  });

  it('follows a node to another tab', async () => {
    const nodes = flow({ type: 'model-processing-upload' });
    const moved = nodes.map((item) => (['node', 'out'].includes(item.id) ? { ...item, z: 'other' } : item));
    const message = { payload: Buffer.from('solid x'), filename: 'part.stl' };
    await interrupt(nodes, message, [...moved, { id: 'other', type: 'tab', label: 'other' }]);
    await expectOneUpload();
  });

  it('continues when a disabled node is enabled', async () => {
    const nodes = flow({ type: 'model-processing-upload' });
    const disabled = nodes.map((item) => (item.id === 'node' ? { ...item, d: true } : item));
    await interrupt(nodes, { payload: Buffer.from('solid x'), filename: 'part.stl' }, disabled);
    bench.findLogLines(/The upload of part\.stl continues when its node is enabled/).length.should.equal(1);
    await bench.deploy(nodes);
    await expectOneUpload();
  });

  it('is forgotten by msg.reset', async () => {
    const nodes = flow({ type: 'model-processing-upload' });
    service.fault('POST', UPLOAD, neverReply, 99);
    await openFlow(nodes);
    bench.send({ payload: Buffer.from('x'), filename: 'part.stl' });
    await bench.until(() => service.count('POST', UPLOAD) === 1);
    bench.send({ reset: true });
    await bench.until(() => bench.completed.get('node') === 2);
    await bench.deploy(nodes);
    await bench.deploy(nodes);
    service.count('POST', UPLOAD).should.equal(1);
  });

  it('downloads a file again', async () => {
    const nodes = flow({ type: 'model-processing-download', target: 'file', path: `${folder}/`, pathType: 'str' });
    await interrupt(nodes, { payload: { fileId: service.addFile(Buffer.from('solid x')) } });
    (await bench.next()).filename.should.startWith(folder);
    readdirSync(folder).length.should.equal(1);
    should(bench.completed.get('node')).equal(1);
  });

  it('repeats the upload of a process node, which continues', async () => {
    const message = { payload: Buffer.from('solid x'), filename: 'part.stl' };
    await interrupt(flow({ type: 'model-processing-process', steps: [] }), message);
    (await bench.next()).payload.should.be.instanceof(Buffer);
    new Set(keys()).size.should.equal(1);
    service.count('POST', /import$/).should.equal(1);
  });
});
