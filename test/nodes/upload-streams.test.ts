import { createRequire } from 'node:module';
import path from 'node:path';
import { type PassThrough, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import 'should';
import should from 'should';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const CUBE = Buffer.from('solid cube\nendsolid cube\n');

// NODE_RED_DIR: a folder with another installation of Node-RED, to test with that version.
const requireOfNodeRed = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '', 'package.json'));
const { util } = requireOfNodeRed('@node-red/util');

/** Returns the package `readable-stream` that a package of Node-RED uses. `names`: the packages that lead to it. */
function requireReadableStream(...names: string[]): { PassThrough: new () => PassThrough } {
  let load = requireOfNodeRed;
  for (const name of names) load = createRequire(load.resolve(name));
  return load('readable-stream');
}

const MQTT = ['node-red/package.json', '@node-red/nodes/package.json', 'mqtt'];
const PACKAGES = {
  'readable-stream 4': requireReadableStream(...MQTT),
  'readable-stream 3': requireReadableStream(...MQTT, 'concat-stream'),
};

function createWebStream(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(CUBE));
      controller.close();
    },
  });
}

describe('model upload', () => {
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ bench } = opened));
  const upload = async (payload: unknown) => {
    await open(withService({ type: 'model-processing-upload' }));
    bench.send({ payload, file: { name: 'cube.stl' } });
  };
  const fail = async (payload: unknown, pattern: RegExp) => {
    await upload(payload);
    const { error } = await bench.next('errors');
    error.message.should.match(pattern);
  };

  it('uploads a web stream', async () => {
    await upload(createWebStream());
    (await bench.next()).payload.should.containEql({ filename: 'cube.stl', size: CUBE.length });
  });

  it('refuses a web stream that another reader reads', async () => {
    const stream = createWebStream();
    stream.getReader();
    await fail(stream, /^Stream in use: msg\.payload\./);
  });

  for (const [name, module] of Object.entries(PACKAGES)) {
    it(`uploads a stream of ${name}, whose data arrives later, and closes it`, async () => {
      const stream = new module.PassThrough();
      should(stream).not.be.instanceof(Readable);
      await upload(stream);
      stream.write(CUBE);
      stream.end(CUBE);
      (await bench.next()).payload.should.containEql({ filename: 'cube.stl', size: 2 * CUBE.length });
    });

    it(`raises FILE_UNREADABLE for a stream of ${name} that fails`, async () => {
      const stream = new module.PassThrough();
      stream.write(CUBE);
      await upload(stream);
      stream.destroy(new Error('broken'));
      const { error } = await bench.next('errors');
      error.code.should.equal('FILE_UNREADABLE');
    });

    it(`refuses the clone of a stream of ${name}`, async () => {
      const stream = new module.PassThrough();
      await upload(CUBE);
      await bench.next();
      bench.send(util.cloneMessage({ payload: stream }));
      const { error } = await bench.next('errors');
      error.message.should.match(/^Cloned stream: msg\.payload\./);
    });
  }
});
