import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import should from 'should';
import { assertReadable } from '../../../../nodes/shared/transfers/check-stream.js';

// NODE_RED_DIR: a folder with another installation of Node-RED, to test with that version.
const { util } = createRequire(`${process.env.NODE_RED_DIR ?? process.cwd()}/package.json`)('@node-red/util');

/** Clones a stream as a function node does. */
function clone(stream: Readable): Readable {
  return util.cloneMessage({ payload: stream }).payload;
}

function check(stream: Readable): void {
  assertReadable(stream, 'msg.payload');
}

describe('assertReadable', () => {
  it('accepts streams of files and of data', () => {
    const file = createReadStream('package.json');
    for (const stream of [file, new PassThrough(), Readable.from(['a'])]) check(stream);
    file.destroy();
  });

  it('refuses a clone of a stream of a file, and leaves the original open', () => {
    const file = createReadStream('package.json');
    should(() => check(clone(file))).throw(/^Cloned stream: msg\.payload\. .*Pass a path or a Buffer/);
    file.destroyed.should.be.false();
    check(file);
    file.destroy();
  });

  it('refuses a clone of a reply, and accepts the reply', async () => {
    const server = http.createServer((_request, reply) => void reply.write('a')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a server that listens on a port has an AddressInfo
    const [reply] = await once(http.get({ port, host: '127.0.0.1' }), 'response');
    should(() => check(clone(reply))).throw(/^Cloned stream/);
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
