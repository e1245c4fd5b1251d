import { readFile } from 'node:fs/promises';
import 'should';
import { createClient } from '../../../src/client/index.js';
import type { RunningService } from '../../../src/service/serve.js';
import { countOf } from '../../helpers/counts.js';
import { type LosingProxy, startLosingProxy } from '../../helpers/losing-proxy.js';
import { createFolder, removeFolder } from '../../service/support/data-folder.js';
import { readCredentials, startService } from '../../service/support/running.js';
import { createFlow, createRemoteService, FlowBench } from '../support/flow-bench.js';

const MESSAGE_COUNT = countOf('messages whose replies the local service loses');

describe('a flow with the local service, behind a proxy that loses replies', () => {
  let folder: string;
  let service: RunningService;
  let proxy: LosingProxy;
  let bench: FlowBench;

  beforeEach(async () => {
    folder = await createFolder();
    service = await startService(folder);
    const account = await readCredentials(folder);
    proxy = await startLosingProxy(account.baseUrl);
    const flow = createFlow({ type: 'model-processing-process', steps: [] }, createRemoteService(proxy));
    bench = await FlowBench.start(flow, { credentials: { service: account } });
  });
  afterEach(async () => {
    await bench.close();
    await proxy.close();
    await service.close();
    await removeFolder(folder);
  });

  it(`processes ${MESSAGE_COUNT} messages with one upload, one import and one export each`, async () => {
    const payload = await readFile('samples/bracket.stl');
    for (let count = 0; count < MESSAGE_COUNT; count += 1) bench.send({ payload, filename: `part-${count}.stl` });
    await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') === MESSAGE_COUNT);
    bench.countUnread('errors').should.equal(0);
    proxy.lostCount().should.equal(3 * MESSAGE_COUNT);
    const client = createClient({ account: await readCredentials(folder) });
    const starts: (string | undefined)[] = [];
    for await (const { operation } of client.list('operations')) starts.push(operation);
    await client.close();
    for (const name of ['import', 'export']) starts.filter((each) => each === name).should.have.length(MESSAGE_COUNT);
    starts.should.have.length(2 * MESSAGE_COUNT);
  });
});
