import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { eventually } from '../helpers/processes.js';
import type { Calls } from './support/account.js';
import { withServiceOfEachTest } from './support/with-service.js';

describe('a file', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;

  const start = withServiceOfEachTest((bench) => ({ folder, service, api } = bench));

  const names = async (part: string): Promise<string[]> =>
    (await readdir(path.join(folder, part), { recursive: true })).filter((name) => name.length > 3);

  const upload = async (text: string, filename = 'a.stl'): Promise<string> =>
    (await api.upload(text, filename)).body.fileId;

  it('is on the disk when its upload is acknowledged', async () => {
    await start();
    const id = await upload('0123456789');
    const bytes = await readFile(path.join(folder, 'blobs', id.slice(0, 2), id), 'utf8');
    bytes.should.equal('0123456789');
  });

  it('can be empty', async () => {
    await start();
    const reply = await api.get(`file/${await upload('')}`);
    [reply.status, reply.headers.get('content-length')].should.deepEqual([200, '0']);
  });

  it('is sent in the requested range', async () => {
    await start();
    const id = await upload('0123456789');
    const part = async (range: string) => {
      const { status, headers, body } = await api.get(`file/${id}`, { range });
      return [status, headers.get('content-range'), body];
    };
    should(await part('bytes=2-4')).deepEqual([206, 'bytes 2-4/10', '234']);
    should(await part('bytes=7-')).deepEqual([206, 'bytes 7-9/10', '789']);
    should(await part('bytes=-3')).deepEqual([206, 'bytes 7-9/10', '789']);
    should(await part('bytes=5-99')).deepEqual([206, 'bytes 5-9/10', '56789']);
    should(await part('bytes=0-0,2-2')).deepEqual([200, null, '0123456789']);
    const outside = await api.get(`file/${id}`, { range: 'bytes=10-' });
    [outside.status, outside.headers.get('content-range')].should.deepEqual([416, 'bytes */10']);
    outside.body.errors[0].code.should.equal(41600);
  });

  it('is sent completely if If-Range does not match, and with 304 if its ETag matches', async () => {
    await start();
    const id = await upload('0123456789');
    const tag = (await api.get(`file/${id}`)).headers.get('etag') ?? '';
    const range = 'bytes=2-4';
    (await api.get(`file/${id}`, { range, 'if-range': tag })).status.should.equal(206);
    (await api.get(`file/${id}`, { range, 'if-range': '"other"' })).status.should.equal(200);
    (await api.get(`file/${id}`, { 'if-none-match': tag })).status.should.equal(304);
  });

  it('returns its size for a HEAD request', async () => {
    await start();
    const id = await upload('0123456789');
    const headers = { authorization: `Bearer ${api.token}` };
    const reply = await fetch(`${service.baseUrl}/web-api/operation/file/${id}`, { method: 'HEAD', headers });
    [reply.status, reply.headers.get('content-length')].should.deepEqual([200, '10']);
  });

  it('keeps a name in any script, without its folders', async () => {
    await start();
    const reply = await api.get(`file/${await upload('x', '../../etc/Würfel 立方体.stl')}`);
    const disposition = reply.headers.get('content-disposition') ?? '';
    disposition.should.equal(
      `attachment; filename="W_rfel ___.stl"; filename*=UTF-8''${encodeURIComponent('Würfel 立方体.stl')}`,
    );
  });

  it('is refused with 413 while it is received if it exceeds the limit, and leaves nothing behind', async () => {
    await start({ limits: { uploadBytes: 1000 } });
    const reply = await api.upload('x'.repeat(1001), 'a.stl');
    reply.status.should.equal(413);
    reply.body.errors[0].code.should.equal(41300);
    should(await names('temp')).be.empty();
    (await api.upload('x'.repeat(1000), 'a.stl')).status.should.equal(200);
  });

  it('leaves nothing behind when its upload is aborted', async () => {
    await start();
    const socket = net.connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /web-api/operation/file HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n' +
        '--b\r\nContent-Disposition: form-data; filename="a.stl"\r\n\r\nsolid',
    );
    await eventually('the upload began', async () => (await names('temp')).length > 0);
    socket.destroy();
    await eventually('the temporary file is gone', async () => (await names('temp')).length === 0);
    should(await names('blobs')).be.empty();
  });

  it('is evicted, the oldest first, when space is needed, unless it was read in the last hour', async () => {
    let now = Date.now();
    await start({
      quotaBytes: 3000,
      now: () => now,
      monotonicNow: () => now,
      limits: { accessTokenMs: 1e12, multipartOverheadBytes: 0 },
    });
    const text = 'x'.repeat(800);
    const [oldest, read, newer] = [await upload(text), await upload(text), await upload(text)];
    now += 2 * 60 * 60 * 1000;
    await api.get(`file/${read}`);
    (await api.upload(text, 'b.stl')).status.should.equal(200);
    (await api.get(`file/${oldest}`)).status.should.equal(410);
    (await api.upload(text, 'c.stl')).status.should.equal(200);
    (await api.get(`file/${newer}`)).status.should.equal(410);
    const full = await api.upload(text, 'd.stl');
    full.status.should.equal(507);
    full.body.errors[0].should.match({ code: 50701, message: /--disk-quota/ });
    (await api.get(`file/${read}`)).status.should.equal(200);
    should(await names('blobs')).have.length(3 + 3); // each has a record
  });

  it('is quarantined on start if it has neither row nor record; files with other names stay', async () => {
    await start();
    const id = await upload('kept');
    await service.close();
    await mkdir(path.join(folder, 'blobs', 'ab'), { recursive: true });
    const orphan = 'ab000000-0000-4000-8000-000000000000';
    await writeFile(path.join(folder, 'blobs', 'ab', orphan), 'x');
    await writeFile(path.join(folder, 'temp', `${orphan}.part`), 'x');
    await writeFile(path.join(folder, 'temp', 'notes.txt'), 'x');
    await writeFile(path.join(folder, 'blobs', 'ab', 'notes.txt'), 'x');
    await start();
    should(await names('temp')).deepEqual(['notes.txt']);
    const kept = (await names('blobs')).map((name) => path.basename(name));
    should(new Set(kept)).deepEqual(new Set([id, `${id}.json`, 'notes.txt']));
  });
});
