import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import * as exported from '../../../src/client/index.js';
import { type Client, createClient } from '../../../src/client/index.js';
import { FakeService } from '../../helpers/fake-service.js';
import { passContinuations, passServiceEvents, spreadNumbers } from '../../helpers/fault-points.js';
import { eventually } from '../../helpers/processes.js';
import { collectUnheard } from '../../helpers/unheard.js';
import { type Disturbance, type PointPasser, runDisturbed } from './support/disturbed-run.js';
import { EVERY_CALL, type World } from './support/every-call.js';

/** Of the points of a run at most so many are tried: they lie close to one another. */
const MAX_SERVICE_EVENTS = 6;
const MAX_SILENCES = 4;
/** For all runs of a test, on a machine however busy. */
const TIMEOUT_MS = 300_000;

/** With the most continuations: a signal may come at every one of them, and some are open to it for one only. */
const DISTURBANCES: [Disturbance, string, number][] = [
  ['abort', 'it is aborted', Number.POSITIVE_INFINITY],
  ['close', 'it is closed', 12],
  ['reset', 'its connections are reset', 12],
  ['refusal', 'the service is gone', 12],
];

describe('unhandled rejections', function () {
  this.timeout(TIMEOUT_MS);
  let world: World;
  let root: string;

  before(async () => {
    root = mkdtempSync(path.join(os.tmpdir(), 'unhandled-'));
    const [file, folder, tempDir] = [path.join(root, 'a.stl'), path.join(root, 'files'), path.join(root, 'temporary')];
    const bytes = Buffer.alloc(1_200_000, 'x');
    writeFileSync(file, bytes);
    for (const each of [folder, tempDir]) mkdirSync(each);
    const limits = { connectTimeoutMs: 60_000, replyTimeoutMs: 60_000, maxTries: 3, maxOutageTries: 3 };
    world = { service: await FakeService.start(), folder, tempDir, file, bytes, limits };
  });
  after(async () => {
    await world.service.stop();
    rmSync(root, { recursive: true });
  });

  const atServiceEvents: PointPasser = (points, work) => passServiceEvents(points, world.service, work);

  for (const { name, open, isPrepared } of EVERY_CALL) {
    describe(`of ${name}: none, nothing is left open, and it ends, when`, () => {
      const holds = async (by: Disturbance, pass: PointPasser, max: number) => {
        const { count, broken } = await runDisturbed(world, open, pass);
        for (const at of spreadNumbers(count, max)) {
          const run = await runDisturbed(world, open, pass, { by, at });
          broken.push(...run.broken.map((each) => `at point ${at} of ${count}: ${each}`));
        }
        count.should.be.above(1);
        if (broken.length > 0) throw new Error(`${broken.length} times, first ${broken.slice(0, 3).join('\n')}`);
      };

      for (const [by, what, max] of DISTURBANCES) {
        it(`${what} at any await`, () => holds(by, passContinuations, max));
        it(`${what} as the service sees something`, () => holds(by, atServiceEvents, MAX_SERVICE_EVENTS));
      }
      // Short times would hold for the preparation as well.
      if (isPrepared) return;
      it('the service says no more after it saw something', () => holds('silence', atServiceEvents, MAX_SILENCES));
    });
  }

  it('are looked for in every public call', async () => {
    const client = createClient({ account: world.service.account });
    await client.close();
    const tested = new Set(EVERY_CALL.map(({ of }) => of));
    Object.keys(client)
      .filter((call) => !tested.has(call))
      .should.eql([]);
    const creators = Object.keys(exported).filter((name) => name.startsWith('create'));
    new Set(creators).should.eql(new Set(['createClient', 'createPollScheduler', 'createTokenSource']));
  });

  describe('of a stream that breaks: none, when its upload', () => {
    const refused = async (error: RegExp, options: { filename: string; size?: number }, client: Client) => {
      const unheard = await collectUnheard(async () => {
        const stream = createReadStream(path.join(root, 'nowhere.stl'));
        const outcome = await client.upload({ stream, ...options }).catch((thrown) => thrown.code ?? thrown.name);
        outcome.should.match(error);
        // With nobody to hear of its error it does not say either that it is closed.
        await eventually('the stream breaks', () => stream.errored !== null || stream.closed);
      });
      await client.close();
      unheard.should.eql([]);
    };

    it('has no name to go by', async () => {
      await refused(/^INPUT_INVALID$/, { filename: 'part' }, createClient({ account: world.service.account }));
    });

    it('has a size that makes no sense', async () => {
      const client = createClient({ account: world.service.account });
      await refused(/^TypeError$/, { filename: 'part.stl', size: -1 }, client);
    });

    it('comes to a client that is closed', async () => {
      const client = createClient({ account: world.service.account });
      await client.close();
      await refused(/^ABORTED$/, { filename: 'part.stl' }, client);
    });
  });
});
