import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { killWhileWaiting } from '../soak/support/kill-while-waiting.js';
import { createRandom } from '../soak/support/random.js';
import { WaitingNodeRed } from '../soak/support/waiting-node-red.js';

// `npm run soak` runs the same test with more kills.
describe('Node-RED, killed while messages wait', () => {
  it('sends each message after its restart, once or with isRepeat set', async () => {
    const { lost, evidence, unmarked, waits } = await killWhileWaiting({
      kills: 3,
      pending: 50,
      random: createRandom(7),
    });
    waits.should.be.aboveOrEqual(50);
    // Checked first, because it describes the lost messages.
    evidence.should.equal('');
    lost.should.be.empty();
    unmarked.should.be.empty();
  });
});

describe('Node-RED with pending waits', () => {
  let service: FakeService;
  let nodeRed: WaitingNodeRed;

  const journal = (): string => path.join(nodeRed.userDir, 'model-processing-waits.jsonl');

  beforeEach(async () => {
    service = await FakeService.start();
    nodeRed = new WaitingNodeRed(service);
    await nodeRed.start();
    for (let count = 0; count < 20; count += 1)
      await nodeRed.wait(service.addOperation('repair', { pollsLeft: Number.POSITIVE_INFINITY }));
  });
  afterEach(async () => {
    await nodeRed.remove();
    await service.stop();
  });

  it('keeps the waits of an unreadable journal, and restores them once it is readable', async () => {
    await nodeRed.kill();
    // A folder at this path is unreadable even for root.
    renameSync(journal(), `${journal()}.aside`);
    mkdirSync(journal());
    for (const operation of service.operations.values()) operation.pollsLeft = 0;
    await nodeRed.start();
    await eventually('an error is in the log', () => nodeRed.log().includes('[error] Could not read the journal'));
    nodeRed.log().should.not.match(/Discarded/);
    rmdirSync(journal());
    renameSync(`${journal()}.aside`, journal());
    await eventually('all messages have been sent', () => nodeRed.arrivals().length === 20);
    nodeRed
      .arrivals()
      .some(({ isRepeat }) => isRepeat)
      .should.be.false();
    should(nodeRed.log().match(/\[error\]/g)?.length).equal(1);
  });

  for (const [name, end, isMarked] of [
    ['a kill, since the disk may have missed what was sent', 'kill', true],
    ['a stop', 'stop', false],
  ] as const)
    it(`sends each message ${isMarked ? 'marked' : 'unmarked'} if the machine boots after ${name}`, async () => {
      await nodeRed[end]();
      nodeRed.simulateBoot();
      for (const operation of service.operations.values()) operation.pollsLeft = 0;
      await nodeRed.start();
      await eventually('all messages have been sent', () => nodeRed.arrivals().length === 20);
      for (const { isRepeat } of nodeRed.arrivals()) isRepeat.should.equal(isMarked);
    });

  it('marks its journal as complete when it is stopped', async () => {
    readFileSync(journal(), 'utf8').should.startWith('{"boot":');
    await nodeRed.stop();
    readFileSync(journal(), 'utf8').should.startWith('{"shut":');
  });
});
