import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import 'should';
import { neverReply } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { createFlowOfEveryNode, EVERY_NODE } from '../support/every-node.js';
import { FlowBench } from '../support/flow-bench.js';

/** How long Node-RED waits for a node: a longer close is an error in its log. */
const settings = { nodeCloseTimeout: 2_000 };

/** The requests that a service may never reply to. */
const REQUESTS: [name: string, method: string, path: RegExp][] = [
  ['a token', 'POST', /token$/i],
  ['the list of formats', 'GET', /formats$/],
  ['an upload', 'POST', /file$/],
  ['a start', 'POST', /operation\/(?!file$)/],
  ['a status', 'GET', /status$/],
  ['a result', 'GET', /result$/],
  ['a download', 'GET', /operation\/file\//],
];

describe('all nodes', () => {
  let service: FakeService;
  let bench: FlowBench;
  const file = path.join(os.tmpdir(), `closing-${process.pid}.stl`);
  const bytes = Buffer.alloc(1_200_000, 'x');

  const sendToAll = () => {
    for (const { name, message } of EVERY_NODE) bench.send(message({ service, file, bytes }), name);
  };
  /** Removes all nodes. Node-RED logs those that take too long. */
  const closeAll = async () => {
    await bench.deploy([{ id: 'tab', type: 'tab', label: 'empty' }]);
    bench.findLogLines(/timed out|stopping-error/i).should.be.empty();
  };

  beforeEach(async () => {
    writeFileSync(file, bytes);
    service = await FakeService.start();
    bench = await FlowBench.start(createFlowOfEveryNode(service), {
      credentials: { service: service.account },
      settings,
    });
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
    rmSync(file);
  });

  for (const [name, method, pattern] of REQUESTS)
    it(`close in time while the service does not reply to ${name}`, async () => {
      service.fault(method, pattern, neverReply, Number.POSITIVE_INFINITY);
      sendToAll();
      await bench.until(() => service.count(method, pattern) > 0);
      await closeAll();
    });

  it('close in time while operations are pending', async () => {
    service.pollsNeeded = Number.POSITIVE_INFINITY;
    sendToAll();
    await bench.until(() => service.count('GET', /status$/) > 10);
    await closeAll();
  });

  it('close in time while streams provide no data and ignore their end, and a disk does not react', async () => {
    let readCount = 0;
    const createStream = () =>
      new Readable({
        read() {
          readCount += 1;
        },
        destroy() {},
      });
    for (const id of ['upload of a stream', 'process'])
      for (let count = 0; count < 6; count += 1) bench.send({ payload: createStream(), filename: 'a.stl' }, id);
    await bench.until(() => readCount > 0);
    await closeAll();
  });
});
