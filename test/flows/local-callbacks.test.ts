import { rmSync } from 'node:fs';
import 'should';
import { parseAddressFilter } from '../../src/service/callbacks/address-filter.js';
import { LIMITS } from '../../src/service/defaults.js';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../helpers/node-red-process.js';
import { eventually } from '../helpers/processes.js';
import { createUserDirectory } from '../helpers/user-directory.js';
import { logIn } from '../service/support/account.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { CUBE } from '../service/support/models.js';
import { startService } from '../service/support/running.js';

const ON_TAB = { z: 'tab', x: 100, y: 100 };
const SAMPLE = { source: 'bracket.stl', sourceType: 'sample' };
/** Without callbacks, the first poll of an operation would be after an hour. */
const LOCAL = { id: 'service', type: 'model-processing-service', service: 'local', pollMin: 3600, pollMax: 3600 };
const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  LOCAL,
  { id: 'in', ...ON_TAB, type: 'http in', url: '/run', method: 'get', wires: [['node']] },
  { id: 'node', ...ON_TAB, type: 'model-processing-process', service: 'service', ...SAMPLE, wires: [['reply']] },
  { id: 'reply', ...ON_TAB, type: 'http response', wires: [] },
];

describe('callbacks to a Node-RED on another port than 1880, with httpNodeRoot', () => {
  const settings = "httpNodeRoot: '/flows/',";
  let userDir: string;
  let nodeRed: NodeRedProcess | undefined;

  const start = async (flow: object[], more = settings, port?: number): Promise<NodeRedProcess> => {
    userDir = createUserDirectory(flow);
    nodeRed = await startNodeRedProcess(userDir, port ?? (await findFreePort()), { settings: more });
    return nodeRed;
  };

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(nodeRed?.log());
    await nodeRed?.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  it('complete the operations of the local service without any setting', async () => {
    const { url, log } = await start(FLOW);
    (await fetch(`${url}/flows/run`)).status.should.equal(200);
    log().should.not.match(/callback|\[warn\] \[model/i);
    log()
      .should.match(/\[info\] \[model-processing-service:local\] Starting \(workers: /)
      .and.not.match(/operationId/);
  });

  it('are not requested if Node-RED requires a login for HTTP of nodes', async () => {
    const service = { ...LOCAL, pollMin: 0.05, pollMax: 0.05 };
    const login = `httpNodeAuth: (request, reply, next) => request.url.startsWith('/run') ? next() : reply.sendStatus(401),`;
    const { url, log } = await start(
      FLOW.map((node) => (node.id === 'service' ? service : node)),
      settings + login,
    );
    (await fetch(`${url}/flows/run`)).status.should.equal(200);
    log().should.not.match(/callback|\[warn\] \[model/i);
  });

  it('of a deleted flow end once Node-RED has started', async () => {
    const folder = await createFolder();
    const service = await startService(folder, {
      isCallbackAllowed: parseAddressFilter('loopback'),
      limits: { ...LIMITS, callbackRetryDelaysMs: Array.from({ length: 1000 }, () => 100) },
    });
    try {
      const port = await findFreePort();
      const api = await logIn(folder);
      const { body } = await api.upload(CUBE, 'cube.stl');
      const callbackUrl = `http://127.0.0.1:${port}/flows/model-processing/callback/${'0'.repeat(32)}`;
      const started = await api.post('import', { fileId: body.fileId, callbackUrl });
      await api.untilCompleted(started.body.operationId);
      const readMetrics = async () => (await fetch(`${service.baseUrl}/metrics`)).text();
      await eventually('it was retried', async () => /outcome="retried"\} [1-9]/.test(await readMetrics()));
      (await readMetrics()).should.match(/^model_processing_callbacks_due 1$/m);
      await start([], settings, port);
      await eventually('it has ended', async () => /^model_processing_callbacks_due 0$/m.test(await readMetrics()));
      (await readMetrics()).should.match(/outcome="given_up"\} 1/);
    } finally {
      await service.close();
      await removeFolder(folder);
    }
  });
});
