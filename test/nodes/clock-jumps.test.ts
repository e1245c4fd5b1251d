import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const TEN_YEARS_MS = 10 * 365 * 24 * 3_600_000;
const readClock = Date.now;
const readUptime = os.uptime;

describe('a flow node, when the wall clock jumps', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const jump = (ms: number) => {
    Date.now = () => readClock() + ms;
  };
  afterEach(() => {
    Date.now = readClock;
    os.uptime = readUptime;
  });

  /** Sends a message that waits for a repair. Returns a function that completes the operation. */
  const startWait = async (): Promise<() => void> => {
    const operationId = service.addOperation('repair', { pollsLeft: 1e9 });
    bench.send({ payload: { operationId, operation: 'repair', inputId: randomUUID() } });
    await bench.until(() => service.count('GET', new RegExp(`${operationId}/status$`)) > 1);
    return () => {
      const operation = service.operations.get(operationId);
      if (operation) operation.pollsLeft = 1;
    };
  };

  for (const [name, ms] of [
    ['forward', TEN_YEARS_MS],
    ['backward', -TEN_YEARS_MS],
  ] as const) {
    it(`continues to wait after a jump ${name} and a redeploy, and gets a verdict`, async () => {
      const flow = withService({ type: 'model-processing-wait' });
      await open(flow);
      const complete = await startWait();
      jump(ms);
      await bench.deploy(flow);
      complete();
      const msg = await bench.next();
      msg.payload.isCompleted.should.be.true();
      msg.model.warnings.should.be.empty();
      msg.model.operations[0].durationMs.should.be.within(0, 60_000);
    });

    it(`times out after a jump ${name} and a redeploy`, async () => {
      const flow = withService({ type: 'model-processing-wait' }, { timeout: 2 });
      await open(flow);
      await startWait();
      jump(ms);
      await bench.deploy(flow);
      (await bench.next('errors')).error.code.should.equal('WAIT_TIMEOUT');
    });
  }

  it('sends the message of an operation that completed while its node was disabled beyond the deadline', async () => {
    const flow = withService({ type: 'model-processing-wait' });
    await open(flow);
    const complete = await startWait();
    await bench.deploy(flow.map((item) => (item.id === 'node' ? { ...item, d: true } : item)));
    complete();
    os.uptime = () => readUptime() + 2 * 3600;
    await bench.deploy(flow);
    (await bench.next()).payload.isCompleted.should.be.true();
  });

  it('stores the times of the boot in the journal', async () => {
    await open(withService({ type: 'model-processing-wait' }));
    await startWait();
    const lines = readFileSync(path.join(bench.userDir, 'model-processing-waits.jsonl'), 'utf8').split('\n');
    const { boot } = JSON.parse(lines[1] ?? '{}');
    should(boot.deadlineMs - boot.startedMs).equal(3_600_000);
    should(boot.id).equal(JSON.parse(lines[0] ?? '{}').boot);
  });
});
