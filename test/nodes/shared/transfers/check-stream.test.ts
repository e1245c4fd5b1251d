import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Duplex, PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
import { createGzip } from 'node:zlib';
import should from 'should';
import { watchClones } from '../../../../nodes/shared/service/registry.js';
import { assertReadable } from '../../../../nodes/shared/transfers/check-stream.js';

// NODE_RED_DIR: a folder with another installation of Node-RED, to test with that version.
const requireOfNodeRed = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '', 'package.json'));
const { util } = requireOfNodeRed('@node-red/util');
/** Clones as Node-RED does, unnoticed. */
const cloneDeep = requireOfNodeRed('lodash.clonedeep');

/** Clones a stream as the nodes of Node-RED do. */
function clone(stream: Readable): Readable {
  return util.cloneMessage({ payload: stream }).payload;
}

function check(stream: Readable): void {
  assertReadable(stream, 'msg.payload');
}

function pushOnRequest(this: Readable): void {
  this.push('a');
}

function createWithFirstData(): PassThrough {
  const stream = new PassThrough();
  stream.write('a');
  return stream;
}

/** Streams in memory that do not have all their data yet. */
const CREATE: Record<string, () => Readable> = {
  Readable: () => new Readable({ read: () => undefined }),
  'Readable.from': () => Readable.from(['a']),
  'Readable.fromWeb': () => Readable.fromWeb(new ReadableStream()),
  'Readable that pushes on request': () => new Readable({ read: pushOnRequest }),
  PassThrough: () => new PassThrough(),
  'PassThrough with the first data': () => createWithFirstData(),
  'Duplex.from': () => Duplex.from(['a']),
  Gzip: () => createGzip(),
};

describe('assertReadable', () => {
  const cloneUnwatched = util.cloneMessage;
  before(() => watchClones({ util } as Parameters<typeof watchClones>[0]));
  after(() => {
    util.cloneMessage = cloneUnwatched;
  });

  it('accepts the stream of a file', () => {
    const file = createReadStream('package.json');
    check(file);
    file.destroy();
  });

  for (const [name, create] of Object.entries(CREATE))
    it(`refuses a clone of a ${name}, and accepts the original`, () => {
      const stream = create();
      should(() => check(clone(stream))).throw(/^Cloned stream: msg\.payload\. .*Pass a path or a Buffer/);
      check(stream);
    });

  it('refuses a clone of a clone, a clone in an object or a list, and a clone that is not in a message', () => {
    const stream = Readable.from(['a']);
    const { payload } = util.cloneMessage({ payload: { files: [{ data: stream }] } });
    for (const copy of [clone(clone(stream)), payload.files[0].data, util.cloneMessage(stream)])
      should(() => check(copy)).throw(/^Cloned stream/);
  });

  it('accepts a clone of a stream with all its data, which has them too', async () => {
    const pushed = new Readable({ read: () => undefined });
    for (const chunk of ['a', 'b', null]) pushed.push(chunk);
    for (const stream of [new PassThrough().end('ab'), pushed]) {
      const copy = clone(stream);
      check(copy);
      (await text(copy)).should.equal('ab');
      (await text(stream)).should.equal('ab');
    }
  });

  it('refuses a clone of a stream of which another reader has read a part', async () => {
    const stream = new PassThrough();
    for (const chunk of ['a', 'b']) stream.write(chunk);
    stream.read(1);
    stream.end();
    should(() => check(clone(stream))).throw(/^Cloned stream/);
  });

  it('accepts streams that Node-RED passes on without cloning them', () => {
    class Tagged extends PassThrough {
      get [Symbol.toStringTag]() {
        return 'Tagged';
      }
    }
    const [request, tagged] = [new PassThrough(), new Tagged()];
    const copy = util.cloneMessage({ req: request, payload: tagged });
    should(copy.payload).equal(tagged);
    for (const stream of [copy.req, copy.payload, request]) check(stream);
  });

  it('accepts a stream that is added to a clone of a message', () => {
    const copy = util.cloneMessage({ payload: Readable.from(['a']) });
    copy.payload = Readable.from(['b']);
    check(copy.payload);
  });

  it('leaves a message clonable whose class has a getter that throws for clones', () => {
    class Guarded {
      #id = 5;
      get read() {
        return this.#id;
      }
    }
    util.cloneMessage({ payload: new Guarded() }).payload.should.be.instanceof(Guarded);
  });

  it('leaves what Node-RED clones as it is', () => {
    const msg = { payload: { list: [1, { a: new Date(5) }], bytes: Buffer.from('a') }, nothing: null };
    should(util.cloneMessage(msg)).eql(cloneUnwatched(msg));
    should(util.cloneMessage(undefined)).be.undefined();
  });

  it('refuses a clone of a stream of a file that was made unnoticed, and leaves the original open', () => {
    const file = createReadStream('package.json');
    should(() => check(cloneDeep(file))).throw(/^Cloned stream/);
    file.destroyed.should.be.false();
    check(file);
    file.destroy();
  });

  it('refuses a clone of a reply that was made unnoticed, and accepts the reply', async () => {
    const server = http.createServer((_request, reply) => void reply.write('a')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a server that listens on a port has an AddressInfo
    const [reply] = await once(http.get({ port, host: '127.0.0.1' }), 'response');
    should(() => check(cloneDeep(reply))).throw(/^Cloned stream/);
    check(reply);
    server.closeAllConnections();
    server.close();
  });

  it('refuses a stream that another reader reads', () => {
    const stream = new PassThrough();
    stream.on('data', () => undefined);
    should(() => check(stream)).throw(/^Stream in use: msg\.payload\./);
  });
});
