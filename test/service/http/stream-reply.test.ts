import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fastify, { type FastifyInstance } from 'fastify';
import 'should';
import type { BorrowedChunks } from '../../../src/service/blobs/read-double-buffered.js';
import { streamReply } from '../../../src/service/http/stream-reply.js';
import { eventually } from '../../helpers/processes.js';

const CHUNK_BYTES = 1024 * 1024;
// More than the system buffers for a client that does not read.
const CHUNKS = 64;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('streamReply', () => {
  let app: FastifyInstance;
  let chunks: WeakRef<Buffer>[];

  async function* readFrom(offset: number): BorrowedChunks {
    for (let index = offset / CHUNK_BYTES; index < CHUNKS; index += 1) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      chunks.push(new WeakRef(chunk));
      yield chunk;
    }
  }

  beforeEach(async () => {
    chunks = [];
    app = fastify({ forceCloseConnections: true });
    const rest = {
      start: 0,
      end: CHUNKS * CHUNK_BYTES - 1,
      readFrom,
      buffers: { hasWaiting: false, isHalfFree: true },
    };
    app.get('/', (_request, reply) => {
      void reply.header('content-length', CHUNKS * CHUNK_BYTES);
      return streamReply(reply, readFrom(0), rest);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => app.close());

  it('keeps no chunk of a file while the client does not read', async () => {
    // A server that listens on a port has an AddressInfo.
    const { port } = app.server.address() as AddressInfo;
    const [reply] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response');
    await eventually('all chunks are garbage', () => {
      collectGarbage();
      return chunks.length > 1 && chunks.every((each) => each.deref() === undefined);
    });
    chunks.length.should.be.below(CHUNKS);
    reply.destroy();
  });
});
