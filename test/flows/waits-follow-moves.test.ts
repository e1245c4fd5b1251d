import 'should';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { isReachable, PLACES, placeNodes } from '../soak/support/place-nodes.js';
import { WaitingNodeRed } from '../soak/support/waiting-node-red.js';

describe('a node that is moved while a message waits', () => {
  let service: FakeService;
  let nodeRed: WaitingNodeRed;

  const startWait = async (): Promise<string> => {
    const operationId = service.addOperation('repair', { pollsLeft: Number.POSITIVE_INFINITY });
    await nodeRed.wait(operationId);
    return operationId;
  };
  const complete = (operationId: string) => {
    const operation = service.operations.get(operationId);
    if (operation) operation.pollsLeft = 0;
  };
  const countArrivals = (id: string) => nodeRed.arrivals().filter(({ operationId }) => operationId === id).length;
  const expectArrival = async (operationId: string) => {
    complete(operationId);
    await eventually('the message has been sent', () => countArrivals(operationId) > 0);
    countArrivals(operationId).should.equal(1);
  };

  before(async () => {
    service = await FakeService.start();
    nodeRed = new WaitingNodeRed(service);
    await nodeRed.start();
  });
  after(async () => {
    await nodeRed.remove();
    await service.stop();
  });
  beforeEach(() => nodeRed.redeploy());

  for (const place of PLACES.filter(isReachable))
    for (const type of ['full', 'nodes'] as const)
      it(`sends the message after a move to ${place} and back (${type})`, async () => {
        const operationIds = [await startWait(), await startWait()];
        const [first = '', second = ''] = operationIds;
        await nodeRed.deploy(placeNodes(nodeRed.flow, place), type);
        await expectArrival(first);
        const third = await startWait();
        await nodeRed.deploy(nodeRed.flow, type);
        await expectArrival(second);
        await expectArrival(third);
      });

  for (const place of ['disabled', 'disabled tab'] as const)
    it(`keeps the message while the node is ${place === 'disabled' ? 'disabled' : 'on a disabled tab'}`, async () => {
      const operationId = await startWait();
      await nodeRed.deploy(placeNodes(nodeRed.flow, place), 'nodes');
      complete(operationId);
      await nodeRed.deploy(placeNodes(nodeRed.flow, place), 'full');
      await eventually('the log names it', () =>
        nodeRed.log().includes(`${operationId} continues when its node is enabled`),
      );
      countArrivals(operationId).should.equal(0);
      await nodeRed.deploy(nodeRed.flow, 'nodes');
      await expectArrival(operationId);
    });

  it('sends the message if it was moved while Node-RED was stopped', async () => {
    const operationId = await startWait();
    await nodeRed.deploy(placeNodes(nodeRed.flow, 'other tab'), 'full');
    await nodeRed.kill();
    await nodeRed.start();
    await expectArrival(operationId);
  });

  it('logs the operation once if the node is deleted, also if no other node of the package is left', async () => {
    const operationId = await startWait();
    const discarded = () => nodeRed.log().match(new RegExp(`Discarded.*${operationId}`, 'g'))?.length ?? 0;
    await nodeRed.deploy([{ id: 'tab', type: 'tab', label: 'empty' }], 'full');
    await eventually('the log names it', () => discarded() > 0);
    await nodeRed.redeploy();
    should(discarded()).equal(1);
    complete(operationId);
    countArrivals(operationId).should.equal(0);
  });
});
