import { Readable } from 'node:stream';
import 'should';
import type { Client, ClientLimits } from '../../../src/client/index.js';
import { expectClientError } from '../../helpers/expect-client-error.js';
import type { FakeService } from '../../helpers/fake-service.js';
import { registerTransferBench } from '../support/transfer-bench.js';

const LIMITS: Partial<ClientLimits> = { idleTimeoutMs: 100 };

/** Creates a stream that stalls after these chunks. `more`: further options of the stream. */
function createStalledStream(chunks: unknown[] = [], more: object = {}): Readable {
  const remaining = [...chunks];
  return new Readable({
    read() {
      const chunk = remaining.shift();
      if (chunk !== undefined) this.push(chunk);
    },
    ...more,
  });
}

describe('upload of a source that stalls', () => {
  let client: Client;
  let service: FakeService;
  const { createFile } = registerTransferBench((bench) => ({ client, service } = bench), LIMITS);

  for (const [name, chunks] of [
    ['before its first byte', []],
    ['after some bytes', ['solid']],
  ] as const)
    for (const size of [undefined, 10])
      it(`fails with TIMEOUT: a stream ${size ? 'of known' : 'of unknown'} length, ${name}`, async () => {
        const stream = createStalledStream([...chunks]);
        const error = await expectClientError(
          client.upload({ stream, filename: 'part.stl', ...(size !== undefined && { size }) }),
        );
        error.code.should.equal('TIMEOUT');
        error.message.should.match(/^Could not read the stream of part\.stl: no data for 0\.1 s\. Check /);
        stream.destroyed.should.be.true();
      });

  it('fails with TIMEOUT: a stream of empty chunks', async () => {
    const stream = Readable.from(
      (async function* () {
        for (;;) {
          yield Buffer.alloc(0);
          await new Promise((resolve) => {
            setTimeout(resolve, 5);
          });
        }
      })(),
    );
    (await expectClientError(client.upload({ stream, filename: 'part.stl' }))).code.should.equal('TIMEOUT');
  });

  it('fails with TIMEOUT: a file on a disk that does not react when it is opened', async () => {
    const open = () => new Promise<never>(() => {});
    (await expectClientError(client.upload({ path: 'part.stl', open }))).code.should.equal('TIMEOUT');
  });

  it('succeeds if the service is slower than the source may be', async () => {
    service.fault(
      'POST',
      /file$/,
      () =>
        new Promise((resolve) => {
          setTimeout(() => resolve(false), 200);
        }),
    );
    await client.upload({ stream: createStalledStream(['solid x', null]), filename: 'part.stl', size: 7 });
    await client.upload({ path: createFile('part.stl', 'solid x') });
  });

  for (const size of [undefined, 10])
    it(`can be aborted, although the stream ${size ? 'of known' : 'of unknown'} length ignores its end`, async () => {
      const stream = createStalledStream([], { destroy: () => {} });
      const call = new AbortController();
      const source = { stream, filename: 'part.stl', ...(size !== undefined && { size }) };
      const upload = expectClientError(client.upload(source, { signal: call.signal }));
      setImmediate(() => call.abort());
      (await upload).code.should.equal('ABORTED');
      await client.close();
    });

  it('refuses a stream that another upload reads, which continues', async () => {
    const stream = Readable.from(['solid x']);
    const first = client.upload({ stream, filename: 'part.stl' });
    const error = await expectClientError(client.upload({ stream, filename: 'part.stl' }));
    error.code.should.equal('FILE_UNREADABLE');
    (await first).fileId.should.be.a.String();
  });
});
