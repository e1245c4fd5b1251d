import { readdir } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import should from 'should';
import type { Limits } from '../../../src/service/defaults.js';
import type { RunningService } from '../../../src/service/serve.js';
import { countOf } from '../../helpers/counts.js';
import { eventually } from '../../helpers/processes.js';
import { logIn } from '../support/account.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { CUBE } from '../support/models.js';
import { readCredentials, startService } from '../support/running.js';
import { anyBytes, anyGrant, anyRequest, anyStart, anyUpload, type ValidValues } from './requests.js';
import { sendUntilAnswered } from './send-until-answered.js';

const RUNS = countOf('arbitrary requests of a kind');

describe('the service with arbitrary input', function () {
  this.timeout(600_000);
  let folder: string;
  let service: RunningService;
  let valid: ValidValues;
  let port: number;

  const start = async (limits: Partial<Limits>): Promise<void> => {
    service = await startService(folder, { limits });
    port = Number(new URL(service.baseUrl).port);
  };

  before(async () => {
    folder = await createFolder();
    // Idle connections are closed soon, but not while a busy machine works on a reply; failed grants are not limited.
    await start({ idleTimeoutMs: 8000, rejectedUploadDrainMs: 200, freeLogins: 1e9 });
    const api = await logIn(folder);
    const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
    const { operationId } = await api.run('import', { fileId });
    const { clientId, clientSecret } = await readCredentials(folder);
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    valid = { token: api.token, basic, fileId, operationId };
  });

  after(async () => {
    await service.close();
    await removeFolder(folder);
  });

  /** Asserts that a reply is not a 5xx other than 503 and 507, and that a JSON error has entries. */
  const shouldBeValid = (reply: string): void => {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(reply)?.[1]);
    should(status < 500 || status === 503 || status === 507).be.true(reply.slice(0, 500));
    const [head = '', body = ''] = reply.split('\r\n\r\n', 2);
    if (status < 400 || body === '' || !/^content-type: application\/json/im.test(head)) return;
    const { errors, error }: { errors?: object[]; error?: string } = JSON.parse(body);
    should(typeof error === 'string' || (errors?.length ?? 0) > 0).be.true(body);
  };

  const assertForAll = async (requests: fc.Arbitrary<Buffer>, runs = RUNS, allowNoReply = false): Promise<void> => {
    await fc.assert(
      fc.asyncProperty(requests, async (bytes) => {
        const reply = await sendUntilAnswered(port, bytes);
        if (reply !== '' || !allowNoReply) shouldBeValid(reply);
      }),
      { numRuns: runs },
    );
  };

  it('replies to every request with a result or a valid error', async () => {
    await assertForAll(anyRequest(valid));
  });

  it('replies to every start of an operation', async () => {
    await assertForAll(anyStart(valid));
  });

  it('replies to every form at the token endpoint', async () => {
    await assertForAll(anyGrant(valid));
  });

  it('replies to every upload, and stores nothing of refused ones', async () => {
    await assertForAll(anyUpload(valid));
    await eventually('no temporary file remains', async () => (await readdir(path.join(folder, 'temp'))).length === 0);
  });

  it('closes every connection that sends invalid or incomplete HTTP', async () => {
    await assertForAll(anyBytes(valid), Math.ceil(RUNS / 10), true); // most of them last until the idle timeout
    await eventually('no temporary file remains', async () => (await readdir(path.join(folder, 'temp'))).length === 0);
    (await fetch(`${service.baseUrl}/readyz`)).status.should.equal(200);
  });
});
