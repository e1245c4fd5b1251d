import { readdir } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import should from 'should';
import type { Limits } from '../../../src/service/defaults.js';
import type { RunningService } from '../../../src/service/serve.js';
import { eventually } from '../../helpers/processes.js';
import { logIn } from '../support/account.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { CUBE } from '../support/models.js';
import { readCredentials, startService } from '../support/running.js';
import { anyBytes, anyGrant, anyRequest, anyStart, anyUpload, type Known } from './requests.js';
import { sendUntilAnswered } from './send-until-answered.js';

// Each property is tried this often: a tenth of what `npm run soak` does.
const RUNS = Number(process.env.FUZZ_RUNS ?? 100);

describe('the service, whatever it is sent', function () {
  this.timeout(600_000);
  let folder: string;
  let service: RunningService;
  let known: Known;
  let port: number;

  const start = async (limits: Partial<Limits>): Promise<void> => {
    service = await startService(folder, { limits });
    port = Number(new URL(service.baseUrl).port);
  };

  before(async () => {
    folder = await createFolder();
    // Connections that wait for more are closed soon, and guessing is not slowed down.
    await start({ idleTimeoutMs: 1000, rejectedUploadDrainMs: 200, maxFailedGrants: 1e9 });
    const api = await logIn(folder);
    const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
    const { operationId } = await api.run('import', { fileId });
    const { clientId, clientSecret } = await readCredentials(folder);
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    known = { token: api.token, basic, fileId, operationId };
  });

  after(async () => {
    await service.close();
    await removeFolder(folder);
  });

  /** A reply is no 5xx but 503 and 507, and an error in JSON has its entries. */
  const shouldBeGood = (reply: string): void => {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(reply)?.[1]);
    should(status < 500 || status === 503 || status === 507).be.true(reply.slice(0, 500));
    const [head = '', body = ''] = reply.split('\r\n\r\n', 2);
    if (status < 400 || body === '' || !/^content-type: application\/json/im.test(head)) return;
    const { errors, error }: { errors?: object[]; error?: string } = JSON.parse(body);
    should(typeof error === 'string' || (errors?.length ?? 0) > 0).be.true(body);
  };

  const holds = async (requests: fc.Arbitrary<Buffer>, runs = RUNS, mayBeSilent = false): Promise<void> => {
    await fc.assert(
      fc.asyncProperty(requests, async (bytes) => {
        const reply = await sendUntilAnswered(port, bytes);
        if (reply !== '' || !mayBeSilent) shouldBeGood(reply);
      }),
      { numRuns: runs },
    );
  };

  it('answers every address with what it has or with an error of its form', async () => {
    await holds(anyRequest(known));
  });

  it('answers every start of an operation', async () => {
    await holds(anyStart(known));
  });

  it('answers every form at the token endpoint', async () => {
    await holds(anyGrant(known));
  });

  it('answers every upload, and keeps nothing of those that it refuses', async () => {
    await holds(anyUpload(known));
    await eventually('nothing is left half-sent', async () => (await readdir(path.join(folder, 'temp'))).length === 0);
  });

  it('ends every connection that sends no HTTP, or less than it promised', async () => {
    await holds(anyBytes(known), Math.ceil(RUNS / 10), true); // most of them wait until they are closed
    await eventually('nothing is left half-sent', async () => (await readdir(path.join(folder, 'temp'))).length === 0);
    (await fetch(`${service.baseUrl}/readyz`)).status.should.equal(200);
  });
});
