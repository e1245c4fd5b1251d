import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import * as exported from '../../../src/client/index.js';
import { type Client, createClient } from '../../../src/client/index.js';
import { countOf, sampleNumbers } from '../../helpers/counts.js';
import { FakeService } from '../../helpers/fake-service.js';
import { traceContinuations, traceServiceEvents } from '../../helpers/fault-points.js';
import { eventually } from '../../helpers/processes.js';
import { collectUnhandledErrors } from '../../helpers/unhandled-errors.js';
import type { TestEnvironment } from './support/call-of.js';
import { type Disturbance, type PointPasser, runDisturbed } from './support/disturbed-run.js';
import { EVERY_CALL } from './support/every-call.js';

/** The maximum number of points that are tested per run, since adjacent points are similar. */
const MAX_CONTINUATIONS = countOf('continuations of a disturbed call');
const MAX_SERVICE_EVENTS = countOf('events of the service in a disturbed call');
const MAX_SILENCES = countOf('events after which the service is silent');
/** Sufficient for all runs of a test on a busy machine. */
const TIMEOUT_MS = 300_000;

/**
 * Disturbance, condition, and maximum number of continuations. The gate tests aborts at each: some windows have only one.
 */
const DISTURBANCES: [Disturbance, string, number][] = [
  ['abort', 'it is aborted', countOf('continuations of an aborted call')],
  ['close', 'it is closed', MAX_CONTINUATIONS],
  ['reset', 'its connections are reset', MAX_CONTINUATIONS],
  ['refusal', 'the service stops', MAX_CONTINUATIONS],
];

describe('Client under disturbances', function () {
  this.timeout(TIMEOUT_MS);
  let environment: TestEnvironment;
  let root: string;

  before(async () => {
    root = mkdtempSync(path.join(os.tmpdir(), 'unhandled-'));
    const [file, folder, tempDir] = [path.join(root, 'a.stl'), path.join(root, 'files'), path.join(root, 'temporary')];
    const bytes = Buffer.alloc(1_200_000, 'x');
    writeFileSync(file, bytes);
    for (const created of [folder, tempDir]) mkdirSync(created);
    const limits = { connectTimeoutMs: 60_000, replyTimeoutMs: 60_000, maxTries: 3, maxOutageTries: 3 };
    const service = await FakeService.start();
    service.features = ['cancel', 'delete', 'list', 'idempotency-key'];
    environment = { service, folder, tempDir, file, bytes, limits };
  });
  after(async () => {
    await environment.service.stop();
    rmSync(root, { recursive: true });
  });

  const atServiceEvents: PointPasser = (points, work) => traceServiceEvents(points, environment.service, work);

  for (const { name, open, isPrepared } of EVERY_CALL) {
    describe(`ends ${name} without unhandled rejections or leaks if`, () => {
      const expectNoViolation = async (by: Disturbance, pass: PointPasser, max: number) => {
        const { count, violations } = await runDisturbed(environment, open, pass);
        for (const at of sampleNumbers(count, max)) {
          const run = await runDisturbed(environment, open, pass, { by, at });
          violations.push(...run.violations.map((violation) => `at point ${at} of ${count}: ${violation}`));
        }
        count.should.be.above(1);
        const { length } = violations;
        if (length > 0) throw new Error(`${length} violations, the first are:\n${violations.slice(0, 3).join('\n')}`);
      };

      for (const [by, condition, max] of DISTURBANCES) {
        it(`${condition} at any await`, () => expectNoViolation(by, traceContinuations, max));
        it(`${condition} at an event of the service`, () => expectNoViolation(by, atServiceEvents, MAX_SERVICE_EVENTS));
      }
      // The short timeouts would apply to the preparation as well.
      if (isPrepared) return;
      it('the service stops replying', () => expectNoViolation('silence', atServiceEvents, MAX_SILENCES));
    });
  }

  it('is tested with every public call', async () => {
    const client = createClient({ account: environment.service.account });
    await client.close();
    const tested = new Set(EVERY_CALL.map(({ of }) => of));
    Object.keys(client)
      .filter((call) => !tested.has(call))
      .should.eql([]);
    // A key is created without a promise.
    const creators = Object.keys(exported).filter((name) => /^create(?!IdempotencyKey$)/.test(name));
    new Set(creators).should.eql(new Set(['createClient', 'createPollScheduler', 'createTokenSource']));
  });

  describe('handles the error of a stream if the upload', () => {
    const expectRefused = async (error: RegExp, options: { filename: string; size?: number }, client: Client) => {
      const unhandled = await collectUnhandledErrors(async () => {
        const stream = createReadStream(path.join(root, 'nowhere.stl'));
        const outcome = await client.upload({ stream, ...options }).catch((thrown) => thrown.code ?? thrown.name);
        outcome.should.match(error);
        // Without an error listener, the stream does not emit close either.
        await eventually('the stream fails', () => stream.errored !== null || stream.closed);
      });
      await client.close();
      unhandled.should.eql([]);
    };

    it('has a filename without an extension', async () => {
      await expectRefused(
        /^INPUT_INVALID$/,
        { filename: 'part' },
        createClient({ account: environment.service.account }),
      );
    });

    it('has an invalid size', async () => {
      const client = createClient({ account: environment.service.account });
      await expectRefused(/^TypeError$/, { filename: 'part.stl', size: -1 }, client);
    });

    it('uses a closed client', async () => {
      const client = createClient({ account: environment.service.account });
      await client.close();
      await expectRefused(/^ABORTED$/, { filename: 'part.stl' }, client);
    });
  });
});
