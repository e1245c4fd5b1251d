import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import 'should';
import { type ActiveResources, countActiveResources, untilReleased } from '../helpers/active-resources.js';
import { countOf, sampleNumbers } from '../helpers/counts.js';
import { FakeService } from '../helpers/fake-service.js';
import { FaultPoints, traceContinuations, traceServiceEvents } from '../helpers/fault-points.js';
import { nextTurn } from '../helpers/next-turn.js';
import { resetConnections } from '../helpers/reset-connections.js';
import { collectUnhandledErrors } from '../helpers/unhandled-errors.js';
import { createFlowOfEveryNode, EVERY_NODE, type Models } from './support/every-node.js';
import { FlowBench } from './support/flow-bench.js';

/** The duration of a disturbance in turns of the event loop. Then the messages in progress are discarded. */
const DISTURBED_TURNS = 30;
/** The timeout of a test with all its runs, sufficient on a busy machine. */
const TIMEOUT_MS = 300_000;
/** The maximum number of points that are tested per run. */
const MAX_CONTINUATIONS = countOf('continuations of a disturbed node');
const MAX_SERVICE_EVENTS = countOf('events of the service at a disturbed node');

/** Runs work and counts the fault points that it passes. */
type PointPasser = <T>(points: FaultPoints, work: () => Promise<T>) => Promise<T>;
type Disturbance = 'drop' | 'redeploy' | 'reset' | 'refusal';

/** Work that lets a node process messages. */
interface Trial {
  id: string;
  /** The number of messages, or 0. */
  messageCount: number;
  pass: PointPasser;
  work: (points: FaultPoints) => Promise<void>;
}

/** Each disturbance with its description and the maximum number of continuations at which it is tested. */
const DISTURBANCES: [Disturbance, string, number][] = [
  ['drop', 'its message is discarded', 16],
  ['redeploy', 'the flow is redeployed', 5],
  ['reset', 'its connections are reset', 10],
  ['refusal', 'the service is stopped', 10],
];

describe('unhandled rejections in Node-RED', function () {
  this.timeout(TIMEOUT_MS);
  let models: Models;
  let bench: FlowBench;
  let folder: string;
  let resourcesBefore: ActiveResources;

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'unhandled-nodes-'));
    const [bytes, file] = [Buffer.alloc(1_200_000, 'x'), path.join(folder, 'a.stl')];
    writeFileSync(file, bytes);
    models = { service: await FakeService.start(), file, bytes };
    resourcesBefore = countActiveResources();
    const { service } = models;
    bench = await FlowBench.start(createFlowOfEveryNode(service), { credentials: { service: service.account } });
  });
  after(async () => {
    await models.service.stop();
    rmSync(folder, { recursive: true });
  });

  const completedCount = (id: string) => bench.completed.get(id) ?? 0;

  /** Starts a disturbance at once. Resolves after its end, when no message is in progress. */
  const disturb = async (by: Disturbance, { id, messageCount }: Trial, completedBefore: number): Promise<void> => {
    const { service } = models;
    const { port } = service;
    if (by === 'drop') bench.send({ reset: true }, id);
    if (by === 'reset') resetConnections(service.sockets);
    const stopped = by === 'refusal' && service.stop();
    const deployed = by === 'redeploy' && bench.deploy(createFlowOfEveryNode(service));
    for (let turn = 0; turn < DISTURBED_TURNS; turn += 1) await nextTurn();
    await Promise.all([stopped, deployed]);
    if (by === 'refusal') await service.listen(port);
    // Ends messages that wait for a retry, or were passed to the new node.
    const before = by === 'redeploy' ? completedCount(id) : completedBefore + messageCount + (by === 'drop' ? 1 : 0);
    bench.send({ reset: true }, id);
    await bench.until(() => completedCount(id) > before);
  };

  /**
   * Runs a trial, optionally with a disturbance at one of its points. Returns the number of points and the unhandled
   * rejections.
   */
  const runDisturbed = async (
    trial: Trial,
    disturbance?: { by: Disturbance; pointIndex: number },
  ): Promise<{ count: number; rejections: string[] }> => {
    const { service } = models;
    const completed = completedCount(trial.id);
    let disturbanceEnd: Promise<void> | undefined;
    const points = new FaultPoints(disturbance?.pointIndex, () => {
      if (disturbance) disturbanceEnd = disturb(disturbance.by, trial, completed);
    });
    const rejections = await collectUnhandledErrors(async () => {
      await trial.pass(points, () => trial.work(points));
      await disturbanceEnd;
    });
    if (points.failure !== undefined) throw points.failure;
    service.requests.length = 0;
    service.files.clear();
    service.operations.clear();
    rmSync(path.join(bench.userDir, 'model-downloads'), { recursive: true, force: true });
    return { count: points.count, rejections: rejections.map((reason) => String(Object(reason).stack ?? reason)) };
  };

  const assertNoneWhen = async (by: Disturbance, max: number, trial: Trial): Promise<void> => {
    const { count, rejections } = await runDisturbed(trial);
    for (const pointIndex of sampleNumbers(count, Math.min(max, MAX_CONTINUATIONS))) {
      const run = await runDisturbed(trial, { by, pointIndex });
      rejections.push(...run.rejections.map((each) => `at point ${pointIndex} of ${count}: ${each}`));
    }
    count.should.be.above(1);
    if (rejections.length > 0)
      throw new Error(`${rejections.length} unhandled rejections, first ${rejections.slice(0, 3).join('\n')}`);
  };

  const atServiceEvents: PointPasser = (points, work) => traceServiceEvents(points, models.service, work);

  for (const { name, message } of EVERY_NODE) {
    describe(`in the node ${name} do not occur if`, () => {
      const work = async (points: FaultPoints) => {
        const completed = completedCount(name);
        bench.send(message(models), name);
        await bench.until(() => points.hasActed || completedCount(name) > completed);
      };
      const trial = { id: name, messageCount: 1, pass: traceContinuations, work };

      for (const [by, description, max] of DISTURBANCES) {
        it(`${description} at any await`, () => assertNoneWhen(by, max, trial));
      }
      it('its connections are reset at any event of the service', () =>
        assertNoneWhen('reset', MAX_SERVICE_EVENTS, { ...trial, pass: atServiceEvents }));
    });
  }

  describe('in the service node do not occur if', () => {
    const account = () => models.service.account;
    const endpoints: [string, () => Promise<unknown>][] = [
      [
        'its connection is tested',
        async () =>
          helper
            .request()
            .post('/model-processing/test-connection')
            .send({ service: 'remote', ...account(), credentials: account() }),
      ],
      ['its formats are requested', async () => helper.request().get('/model-processing/formats/service')],
    ];
    for (const [description, request] of endpoints) {
      const work = async () => {
        await request().catch(() => undefined);
      };
      const trial = { id: 'wait', messageCount: 0, pass: atServiceEvents, work };
      for (const [by, disturbance, max] of DISTURBANCES) {
        it(`${description}, and ${disturbance}`, () => assertNoneWhen(by, max, trial));
      }
    }

    it('it closes, and its connections are closed', async () => {
      const rejections = await collectUnhandledErrors(async () => {
        for (const { name, message } of EVERY_NODE) bench.send(message(models), name);
        await bench.until(() => models.service.requests.length > 0);
        await bench.close();
        await untilReleased(resourcesBefore, { hasIdleTimeout: true });
      });
      rejections.should.eql([]);
    });
  });

  it('are tested in every node', () => {
    const testedTypes = new Set(EVERY_NODE.map(({ name, type = name }) => type));
    const types = readdirSync('nodes').filter((file) => file.endsWith('.ts') && file !== 'service.ts');
    types.filter((file) => !testedTypes.has(path.basename(file, '.ts'))).should.eql([]);
  });
});
