import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeService, neverReply } from '../../helpers/fake-service.js';
import { descendantsOf, eventually } from '../../helpers/processes.js';
import type { Random } from './random.js';
import { WaitingNodeRed } from './waiting-node-red.js';

/** What came of it. `before` and `after`: what Node-RED held, by kind; they must be equal. `lost` and `twice` must be empty. */
export interface RedeployFindings {
  redeploys: number;
  waits: number;
  cutUploads: number;
  cutDownloads: number;
  before: Record<string, number>;
  after: Record<string, number>;
  /** What Node-RED's log says of waits. */
  log: string[];
  lost: string[];
  twice: string[];
}

const MOMENT_MS = { least: 0, most: 100 };
const SETTLE_MS = 5000;
/** Uploads and downloads that never end by themselves. */
const TRANSFERS = [
  { id: 'up-in', type: 'http in', url: '/upload', method: 'post', wires: [['up', 'answer']] },
  {
    id: 'up',
    type: 'model-processing-upload',
    service: 'service',
    source: 'bracket.stl',
    sourceType: 'sample',
    wires: [[]],
  },
  { id: 'down-in', type: 'http in', url: '/download', method: 'post', wires: [['down', 'answer']] },
  { id: 'down', type: 'model-processing-download', service: 'service', target: 'file', path: '', wires: [[]] },
].map((node) => ({ ...node, z: 'tab', x: 100, y: 100 }));

/**
 * Deploys anew, again and again, while messages wait and files go up and down; then counts what Node-RED holds, and what became of the
 * messages that waited.
 */
export async function redeployInTheMiddle(options: { redeploys: number; random: Random }): Promise<RedeployFindings> {
  const { redeploys, random } = options;
  const service = await FakeService.start();
  const nodeRed = new WaitingNodeRed(service, TRANSFERS);
  const accepted = new Set<string>();
  const fileId = service.addFile(Buffer.alloc(1 << 20));
  const isUpload = /^\/web-api\/operation\/file$/;
  const isDownload = /^\/web-api\/operation\/file\/.+/;
  service.fault('POST', isUpload, neverReply, Number.POSITIVE_INFINITY);
  const half = Buffer.alloc(1 << 19);
  service.fault(
    'GET',
    isDownload,
    (_request, reply) => void reply.writeHead(200, { 'Content-Length': 1 << 20 }).write(half),
    Number.POSITIVE_INFINITY,
  );

  const send = async (): Promise<void> => {
    const operationId = service.addOperation('repair', { looksLeft: Number.POSITIVE_INFINITY });
    await nodeRed.wait(operationId);
    accepted.add(operationId);
  };
  const complete = (fraction: number): void => {
    for (const operation of service.operations.values()) if (random.next() < fraction) operation.looksLeft = 0;
  };
  const arrivedIds = () => new Set(nodeRed.arrivals().map(({ operationId }) => operationId));

  /** Once nothing is under way and what lingers for a redeploy has gone. */
  const census = async (): Promise<Record<string, number>> => {
    await nodeRed.redeploy();
    await sleep(SETTLE_MS);
    const counts = await nodeRed.census();
    const downloads = readdirOrEmpty(path.join(nodeRed.userDir, 'model-downloads')).length;
    const temporary = readdirSync(nodeRed.temporary).length;
    return { ...counts, children: descendantsOf(nodeRed.pid).length, temporary, downloads };
  };

  try {
    await nodeRed.start();
    // What the first use makes for good (folders, the journal) is there before the first count.
    await Promise.all([send(), nodeRed.post('/upload', {}), nodeRed.post('/download', { fileId })]);
    const started = () => service.count('POST', isUpload) > 0 && service.count('GET', isDownload) > 0;
    await eventually('the transfers have begun', started);
    complete(1);
    await eventually('the first message is out', () => arrivedIds().size === 1);
    const before = await census();
    const [uploads, downloads] = [service.count('POST', isUpload), service.count('GET', isDownload)];
    for (let round = 0; round < redeploys; round += 1) {
      await Promise.all([send(), send(), nodeRed.post('/upload', {}), nodeRed.post('/download', { fileId })]);
      complete(0.3);
      await sleep(random.whole(MOMENT_MS.least, MOMENT_MS.most));
      await nodeRed.redeploy();
    }
    complete(1);
    const isOut = (id: string): boolean => arrivedIds().has(id);
    await eventually('all messages are out', () => [...accepted].every(isOut)).catch(() => undefined);
    const after = await census();
    const arrivals = nodeRed.arrivals().map(({ operationId }) => operationId);
    return {
      redeploys,
      waits: accepted.size,
      cutUploads: service.count('POST', isUpload) - uploads,
      cutDownloads: service.count('GET', isDownload) - downloads,
      before,
      after,
      log: nodeRed
        .log()
        .split('\n')
        .filter((line) => /Discarded|Resumed|restart/.test(line)),
      lost: [...accepted].filter((id) => !arrivals.includes(id)),
      twice: arrivals.filter((id, index) => arrivals.indexOf(id) !== index),
    };
  } finally {
    await nodeRed.remove();
    await service.stop();
  }
}

function readdirOrEmpty(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
