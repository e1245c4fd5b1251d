import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import 'should';
import { type ActiveResources, countActiveResources, untilReleased } from '../helpers/active-resources.js';
import { FakeService } from '../helpers/fake-service.js';
import { FaultPoints, spreadNumbers, traceContinuations, traceServiceEvents } from '../helpers/fault-points.js';
import { resetConnections } from '../helpers/reset-connections.js';
import { collectUnhandledErrors, nextTurn } from '../helpers/unhandled-errors.js';
import { EVERY_NODE, flowOfEveryNode, type Models } from './support/every-node.js';
import { FlowBench } from './support/flow-bench.js';

/** How long a disturbance lasts before what is under way is dropped. */
const DISTURBED_TURNS = 30;
/** For all runs of a test, on a machine however busy. */
const TIMEOUT_MS = 300_000;
const MAX_SERVICE_EVENTS = 8;

type PointPasser = <T>(points: FaultPoints, work: () => Promise<T>) => Promise<T>;
type Disturbance = 'drop' | 'redeploy' | 'reset' | 'refusal';

/** `work` lets the node `id` handle so many messages, or none. */
interface Trial {
  id: string;
  messageCount: number;
  pass: PointPasser;
  work: (points: FaultPoints) => Promise<void>;
}

/** With the number of continuations at which each is tried. */
const DISTURBANCES: [Disturbance, string, number][] = [
  ['drop', 'its message is dropped', 16],
  ['redeploy', 'everything is deployed anew', 5],
  ['reset', 'its connections are reset', 10],
  ['refusal', 'the service is gone', 10],
];

describe('unhandled rejections in Node-RED', function () {
  this.timeout(TIMEOUT_MS);
  let models: Models;
  let bench: FlowBench;
  let folder: string;
  let heldBefore: ActiveResources;

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'unhandled-nodes-'));
    const [bytes, file] = [Buffer.alloc(1_200_000, 'x'), path.join(folder, 'a.stl')];
    writeFileSync(file, bytes);
    models = { service: await FakeService.start(), file, bytes };
    heldBefore = countActiveResources();
    const { service } = models;
    bench = await FlowBench.start(flowOfEveryNode(service), { credentials: { service: service.account } });
  });
  after(async () => {
    await models.service.stop();
    rmSync(folder, { recursive: true });
  });

  const completedCount = (id: string) => bench.completed.get(id) ?? 0;

  /** Begins at once; resolves when it is over and nothing is under way any more. */
  const disturb = async (by: Disturbance, { id, messageCount }: Trial, completedBefore: number): Promise<void> => {
    const { service } = models;
    const { port } = service;
    if (by === 'drop') bench.send({ reset: true }, id);
    if (by === 'reset') resetConnections(service.sockets);
    const stopped = by === 'refusal' && service.stop();
    const deployed = by === 'redeploy' && bench.deploy(flowOfEveryNode(service));
    for (let turn = 0; turn < DISTURBED_TURNS; turn += 1) await nextTurn();
    await Promise.all([stopped, deployed]);
    if (by === 'refusal') await service.listen(port);
    // What pauses before another attempt, or was taken over by the next node, ends now.
    const before = by === 'redeploy' ? completedCount(id) : completedBefore + messageCount + (by === 'drop' ? 1 : 0);
    bench.send({ reset: true }, id);
    await bench.until(() => completedCount(id) > before);
  };

  /** Runs a trial with a disturbance at one of its points, if at any. Answers their number, and what nobody handled. */
  const runDisturbed = async (
    trial: Trial,
    disturbed?: { by: Disturbance; at: number },
  ): Promise<{ count: number; unheard: string[] }> => {
    const { service } = models;
    const completed = completedCount(trial.id);
    let disturbing: Promise<void> | undefined;
    const points = new FaultPoints(disturbed?.at, () => {
      if (disturbed) disturbing = disturb(disturbed.by, trial, completed);
    });
    const unheard = await collectUnhandledErrors(async () => {
      await trial.pass(points, () => trial.work(points));
      await disturbing;
    });
    if (points.failure !== undefined) throw points.failure;
    service.requests.length = 0;
    service.files.clear();
    service.operations.clear();
    rmSync(path.join(bench.userDir, 'model-downloads'), { recursive: true, force: true });
    return { count: points.count, unheard: unheard.map((reason) => String(Object(reason).stack ?? reason)) };
  };

  const noneWhen = async (by: Disturbance, max: number, trial: Trial): Promise<void> => {
    const { count, unheard } = await runDisturbed(trial);
    for (const at of spreadNumbers(count, max)) {
      const run = await runDisturbed(trial, { by, at });
      unheard.push(...run.unheard.map((each) => `at point ${at} of ${count}: ${each}`));
    }
    count.should.be.above(1);
    if (unheard.length > 0) throw new Error(`${unheard.length} times, first ${unheard.slice(0, 3).join('\n')}`);
  };

  const atServiceEvents: PointPasser = (points, work) => traceServiceEvents(points, models.service, work);

  for (const { name, message } of EVERY_NODE) {
    describe(`of the node ${name}: none when`, () => {
      const work = async (points: FaultPoints) => {
        const completed = completedCount(name);
        bench.send(message(models), name);
        await bench.until(() => points.hasActed || completedCount(name) > completed);
      };
      const trial = { id: name, messageCount: 1, pass: traceContinuations, work };

      for (const [by, what, max] of DISTURBANCES) {
        it(`${what} at any await`, () => noneWhen(by, max, trial));
      }
      it('its connections are reset as the service sees something', () =>
        noneWhen('reset', MAX_SERVICE_EVENTS, { ...trial, pass: atServiceEvents }));
    });
  }

  describe('of the service node: none when', () => {
    const account = () => models.service.account;
    const endpoints: [string, () => Promise<unknown>][] = [
      [
        'it is tested',
        async () =>
          helper
            .request()
            .post('/model-processing/test-connection')
            .send({ service: 'remote', ...account(), credentials: account() }),
      ],
      ['its formats are asked for', async () => helper.request().get('/model-processing/formats/service')],
    ];
    for (const [what, ask] of endpoints) {
      const work = async () => {
        await ask().catch(() => undefined);
      };
      const trial = { id: 'wait', messageCount: 0, pass: atServiceEvents, work };
      for (const [by, disturbance, max] of DISTURBANCES) {
        it(`${what}, and ${disturbance}`, () => noneWhen(by, max, trial));
      }
    }

    it('it closes, and no connection is left', async () => {
      const unheard = await collectUnhandledErrors(async () => {
        for (const { name, message } of EVERY_NODE) bench.send(message(models), name);
        await bench.until(() => models.service.requests.length > 0);
        await bench.close();
        await untilReleased(heldBefore, { hasLinger: true });
      });
      unheard.should.eql([]);
    });
  });

  it('are looked for in every node', () => {
    const tried = new Set(EVERY_NODE.map(({ name, type = name }) => type));
    const types = readdirSync('nodes').filter((file) => file.endsWith('.ts') && file !== 'service.ts');
    types.filter((file) => !tried.has(path.basename(file, '.ts'))).should.eql([]);
  });
});
