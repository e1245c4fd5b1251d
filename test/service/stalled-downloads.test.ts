import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import should from 'should';
import { createLogger } from '../../src/service/logger.js';
import type { RunningService } from '../../src/service/serve.js';
import type { Calls } from './support/account.js';
import { addSignedInUser } from './support/users.js';
import { withService } from './support/with-service.js';

// More than the system buffers for a client that does not read.
const FILE_BYTES = 24 * 1024 * 1024 + 12_345;

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('Clients that do not read their downloads', () => {
  let folder: string;
  let service: RunningService;
  const log = new PassThrough();
  let ann: Calls;
  let bob: Calls;
  const bytes = randomBytes(FILE_BYTES);

  withService((bench) => ({ folder, service, api: ann } = bench), { logger: createLogger('warn', log) });

  before(async () => {
    bob = await addSignedInUser(folder, 'bob');
  });

  const upload = async (calls: Calls): Promise<string> => (await calls.upload(bytes, 'a.stl')).body.fileId;

  /** Starts a download and reads nothing but the headers. */
  const startDownload = async ({ baseUrl, token }: Calls, id: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${token}` };
    const request = get(`${baseUrl}/web-api/operation/file/${id}`, { headers, agent: false });
    const [reply] = await once(request, 'response');
    return reply;
  };

  const readRest = async (reply: IncomingMessage): Promise<string> => {
    const hash = createHash('sha256');
    for await (const chunk of reply) hash.update(chunk);
    return hash.digest('hex');
  };

  it('do not hold up another user, and receive the rest when they read again', async () => {
    const [ofAnn, ofBob] = [await upload(ann), await upload(bob)];
    // More than there are buffers for downloads.
    const stalled = await Promise.all(Array.from({ length: 40 }, () => startDownload(ann, ofAnn)));
    should(await readRest(await startDownload(bob, ofBob))).equal(digestOf(bytes));
    for (const reply of stalled) should(await readRest(reply)).equal(digestOf(bytes));
  });

  it('can read slowly, and receive all bytes', async () => {
    const reply = await startDownload(bob, await upload(bob));
    const hash = createHash('sha256');
    let count = 0;
    for await (const chunk of reply) {
      hash.update(chunk);
      count += 1;
      if (count % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    should(hash.digest('hex')).equal(digestOf(bytes));
  });

  it('can stop after a fast start, which does not hold up another user', async () => {
    const [long, ofBob] = [Buffer.concat([bytes, bytes]), await upload(bob)];
    const ofAnn = (await ann.upload(long, 'long.stl')).body.fileId;
    const replies = await Promise.all(Array.from({ length: 10 }, () => startDownload(ann, ofAnn)));
    const stopped = await Promise.all(
      replies.map(async (reply) => {
        const chunks: Buffer[] = [];
        for (let size = 0; size < bytes.length; ) {
          const chunk = reply.read();
          if (chunk === null) await once(reply, 'readable');
          else size += chunks[chunks.push(chunk) - 1]?.length ?? 0;
        }
        return { reply, chunks };
      }),
    );
    should(await readRest(await startDownload(bob, ofBob))).equal(digestOf(bytes));
    for (const { reply, chunks } of stopped) {
      for await (const chunk of reply) chunks.push(chunk);
      should(digestOf(Buffer.concat(chunks))).equal(digestOf(long));
    }
  });

  it('receive all bytes of a file that is deleted meanwhile', async () => {
    const [ofAnn, ofBob] = [await upload(ann), await upload(bob)];
    // More than there are buffers: most of them were released and have to be acquired again.
    const stalled = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? startDownload(ann, ofAnn) : startDownload(bob, ofBob))),
    );
    should((await ann.remove(`file/${ofAnn}`)).status).equal(200);
    should((await bob.remove(`file/${ofBob}`)).status).equal(200);
    for (const id of [ofAnn, ofBob]) should(existsSync(path.join(folder, 'blobs', id.slice(0, 2), id))).equal(false);
    for (const reply of stalled) should(await readRest(reply)).equal(digestOf(bytes));
    should((await ann.get(`file/${ofAnn}`)).status).equal(410);
  });

  it('can hang up at any moment, which is not logged', async () => {
    const [ofAnn, ofBob] = [await upload(ann), await upload(bob)];
    const hangUps: ((reply: IncomingMessage) => unknown)[] = [
      ({ socket }) => socket.resetAndDestroy(),
      ({ socket }) => socket.destroy(),
      ({ socket }) => socket.end(),
    ];
    for (const hangUp of hangUps) {
      const replies = await Promise.all([startDownload(ann, ofAnn), startDownload(bob, ofBob)]);
      const closed = replies.map((reply) => new Promise((resolve) => reply.once('close', resolve)));
      for (const reply of replies) {
        reply.on('error', () => undefined);
        await once(reply, 'readable');
        reply.read(100_000); // in the middle of a block
        hangUp(reply);
      }
      for (const reply of replies) reply.resume();
      await Promise.all(closed);
    }
    should(await readRest(await startDownload(ann, ofAnn))).equal(digestOf(bytes));
    await service.close();
    should(log.read()).equal(null);
  });
});
