import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { neverReply } from '../../helpers/fake-replies.js';
import { FakeService } from '../../helpers/fake-service.js';
import { eventually, findDescendants } from '../../helpers/processes.js';
import type { Random } from './random.js';
import { WaitingNodeRed } from './waiting-node-red.js';

/** The result of `redeployDuringWork`. `before` and `after` must be equal; `lost` and `duplicates` must be empty. */
export interface RedeployFindings {
  redeploys: number;
  waits: number;
  /** Requests of uploads and downloads, with those that a redeploy aborted. */
  uploadAttempts: number;
  downloadAttempts: number;
  /** Kind of resource → count, before and after the redeploys. */
  before: Record<string, number>;
  after: Record<string, number>;
  /** The log lines of Node-RED about waits, and its errors and warnings. */
  log: string[];
  /** The operations and transfers whose messages were not sent. */
  lost: string[];
  /** The operations and transfers whose messages were sent more than once. */
  duplicates: string[];
}

const REDEPLOY_DELAY_MS = { min: 0, max: 100 };
/** Longer than the time that shared resources outlive their nodes for a redeploy. */
const RELEASE_MS = 5000;
/**
 * The nodes of uploads and downloads. The next node records their messages: Node-RED loses a message that is between two
 * other nodes when a redeploy stops the second.
 */
const TRANSFERS = [
  { id: 'up-in', type: 'http in', url: '/upload', method: 'post', wires: [['up', 'reply']] },
  {
    id: 'up',
    type: 'model-processing-upload',
    service: 'service',
    source: 'bracket.stl',
    sourceType: 'sample',
    wires: [['name']],
  },
  { id: 'down-in', type: 'http in', url: '/download', method: 'post', wires: [['down', 'reply']] },
  { id: 'down', type: 'model-processing-download', service: 'service', target: 'file', path: '', wires: [['name']] },
  {
    id: 'name',
    type: 'function',
    outputs: 0,
    func: "msg.payload = { operationId: msg.req.body.id }; msg.model ??= {}; global.get('record')(msg);",
    wires: [],
  },
].map((node) => ({ ...node, z: 'tab', x: 100, y: 100 }));

/**
 * Redeploys repeatedly while messages wait and files are uploaded and downloaded. Then counts the resources of Node-RED
 * and compares the sent messages.
 */
export async function redeployDuringWork(options: { redeploys: number; random: Random }): Promise<RedeployFindings> {
  const { redeploys, random } = options;
  const service = await FakeService.start();
  const nodeRed = new WaitingNodeRed(service, TRANSFERS);
  const accepted = new Set<string>();
  const fileId = service.addFile(Buffer.alloc(1 << 20));
  const isUpload = /^\/web-api\/operation\/file$/;
  const isDownload = /^\/web-api\/operation\/file\/.+/;
  const half = Buffer.alloc(1 << 19);
  /** Makes the transfers hang until the faults are cleared. */
  const stopTransfers = (): void => {
    service.fault('POST', isUpload, neverReply, Number.POSITIVE_INFINITY);
    service.fault(
      'GET',
      isDownload,
      (_request, reply) => void reply.writeHead(200, { 'Content-Length': 1 << 20 }).write(half),
      Number.POSITIVE_INFINITY,
    );
  };

  const send = async (): Promise<void> => {
    const operationId = service.addOperation('repair', { pollsLeft: Number.POSITIVE_INFINITY });
    await nodeRed.wait(operationId);
    accepted.add(operationId);
  };
  const startTransfers = async (): Promise<void> => {
    const ids = [`upload ${accepted.size}`, `download ${accepted.size}`] as const;
    await Promise.all([nodeRed.post('/upload', { id: ids[0] }), nodeRed.post('/download', { id: ids[1], fileId })]);
    for (const id of ids) accepted.add(id);
  };
  const complete = (fraction: number): void => {
    for (const operation of service.operations.values()) if (random.next() < fraction) operation.pollsLeft = 0;
  };
  const arrivedIds = () => new Set(nodeRed.arrivals().map(({ operationId }) => operationId));

  /** Counts resources after a redeploy, when shared resources have been released. */
  const countResources = async (): Promise<Record<string, number>> => {
    await nodeRed.redeploy();
    await sleep(RELEASE_MS);
    const counts = await nodeRed.countResources();
    const parts = readdirOrEmpty(path.join(nodeRed.userDir, 'model-downloads')).filter((name) =>
      name.endsWith('.part'),
    );
    const temporary = readdirSync(nodeRed.temporary).length;
    return { ...counts, children: findDescendants(nodeRed.pid).length, temporary, parts: parts.length };
  };

  try {
    await nodeRed.start();
    // Uses all nodes once, so that permanent resources (folders, the journal) exist before the first count.
    await send();
    await startTransfers();
    complete(1);
    await eventually('the first messages have been sent', () => arrivedIds().size === 3);
    const before = await countResources();
    stopTransfers();
    const [uploads, downloads] = [service.count('POST', isUpload), service.count('GET', isDownload)];
    for (let round = 0; round < redeploys; round += 1) {
      await Promise.all([send(), send()]);
      await startTransfers();
      complete(0.3);
      await sleep(random.integer(REDEPLOY_DELAY_MS.min, REDEPLOY_DELAY_MS.max));
      await nodeRed.redeploy();
    }
    complete(1);
    // The transfers that hang are aborted by another redeploy, and repeated.
    service.clearFaults();
    await nodeRed.redeploy();
    const wasSent = (id: string): boolean => arrivedIds().has(id);
    await eventually('all messages have been sent', () => [...accepted].every(wasSent)).catch(() => undefined);
    const after = await countResources();
    const arrivals = nodeRed.arrivals().map(({ operationId }) => operationId);
    return {
      redeploys,
      waits: accepted.size,
      uploadAttempts: service.count('POST', isUpload) - uploads,
      downloadAttempts: service.count('GET', isDownload) - downloads,
      before,
      after,
      log: nodeRed
        .log()
        .split('\n')
        .filter((line) => /Discarded|Resumed|restart|\[(error|warn)\]/.test(line)),
      lost: [...accepted].filter((id) => !arrivals.includes(id)),
      duplicates: arrivals.filter((id, index) => arrivals.indexOf(id) !== index),
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
