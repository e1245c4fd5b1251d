import { createHash, randomBytes } from 'node:crypto';
import should from 'should';
import type { Calls } from '../support/account.js';
import { withService } from '../support/with-service.js';

const BYTES = randomBytes(3_000_000);

describe('the digest of a file', () => {
  let api: Calls;
  const sha256 = createHash('sha256').update(BYTES).digest();
  const header = `sha-256=:${sha256.toString('base64')}:`;

  withService((bench) => ({ api } = bench));

  /** Uploads `BYTES` with further headers of the part. */
  const upload = (partHeaders: string) => {
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.stl"\r\n${partHeaders}\r\n`;
    const headers = {
      authorization: `Bearer ${api.token}`,
      'content-type': 'multipart/form-data; boundary=b',
    };
    const body = Buffer.concat([Buffer.from(head), BYTES, Buffer.from('\r\n--b--\r\n')]);
    return fetch(`${api.baseUrl}/web-api/operation/file`, { method: 'POST', headers, body });
  };

  it('is in the reply to its upload, and in all replies that contain it', async () => {
    const { fileId, ...reply } = (await api.upload(BYTES, 'a.stl')).body;
    should(reply.sha256).equal(sha256.toString('hex'));
    for (const headers of [{}, { range: 'bytes=5-6' }] as Record<string, string>[]) {
      should((await api.get(`file/${fileId}`, headers)).headers.get('repr-digest')).equal(header);
    }
    const headers = { authorization: `Bearer ${api.token}` };
    const head = await fetch(`${api.baseUrl}/web-api/operation/file/${fileId}`, { method: 'HEAD', headers });
    should(head.headers.get('repr-digest')).equal(header);
  });

  for (const name of ['Repr-Digest', 'Content-Digest']) {
    it(`is compared with the header ${name} of the part`, async () => {
      (await upload(`${name}: ${header}\r\n`)).status.should.equal(200);
      const wrong = await upload(`${name}: sha-256=:${randomBytes(32).toString('base64')}:\r\n`);
      wrong.status.should.equal(422);
      const { errors } = (await wrong.json()) as { errors: unknown[] };
      should(errors[0]).match({ code: 42214, message: /SHA-256 of a.stl/ });
    });

    it(`is not compared with a header ${name} that is malformed or has no SHA-256`, async () => {
      for (const value of ['sha-256=:AAAA:', sha256.toString('hex'), 'sha-512=:AAAA:']) {
        (await upload(`${name}: ${value}\r\n`)).status.should.equal(200);
      }
    });
  }
});
