import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FakeService } from '../../helpers/fake-service.js';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../../helpers/node-red-process.js';
import { eventually } from '../../helpers/processes.js';
import { createAccountEnvironment, createUserDirectory } from '../../helpers/user-directory.js';

const MAX_STARTS = 3;

/** A message that the wait node has sent. */
export interface Arrival {
  operationId: string;
  isRepeat: boolean;
}

/**
 * Returns settings with functions for function nodes: `record` writes a message to a file before it returns. A node that
 * takes two seconds to close is an error in the log. The wall clock can be shifted, and the id of the boot replaced.
 */
function createSettings(recordFile: string): string {
  return `functionGlobalContext: {
    record: (msg) => require('node:fs').appendFileSync(${JSON.stringify(recordFile)}, JSON.stringify({
      operationId: msg.payload.operationId, isRepeat: msg.model.isRepeat === true }) + '\\n'),
    countResources: () => {
      const counts = {};
      for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
      return { ...counts, unhandled: globalThis.unhandledCount ?? 0,
        files: require('node:fs').readdirSync('/proc/self/fd').length };
    },
    shiftClock: (ms) => { globalThis.clockShiftMs = ms; },
    createStream: (isStalled) => isStalled ? new (require('node:stream').Readable)({ read() {} })
      : require('node:fs').createReadStream(${JSON.stringify(path.resolve('samples/bracket.stl'))}),
  },
  nodeCloseTimeout: 2000,
  clock: (() => {
    const RealDate = Date;
    globalThis.clockShiftMs = Number(process.env.CLOCK_SHIFT_MS);
    globalThis.Date = class Date extends RealDate {
      constructor(...values) { super(...(values.length > 0 ? values : [Date.now()])); }
      static now() { return RealDate.now() + globalThis.clockShiftMs; }
    };
  })(),
  boot: (() => {
    const fs = require('node:fs');
    const { readFileSync } = fs;
    fs.readFileSync = (file, ...options) =>
      (file === '/proc/sys/kernel/random/boot_id' && process.env.BOOT_ID) || readFileSync(file, ...options);
    require('node:module').syncBuiltinESMExports();
  })(),
  rejections: process.on('unhandledRejection', () => { globalThis.unhandledCount = (globalThis.unhandledCount ?? 0) + 1; }).listenerCount(''),`;
}

/**
 * A Node-RED with a flow that passes messages from HTTP to a wait node, and records the messages that the wait node
 * sends in a file that survives a kill. A reply of 200 means that the wait node has received the message.
 */
export class WaitingNodeRed {
  readonly userDir: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  readonly #testFolder: string;
  readonly #recordFile: string;
  readonly #service: FakeService;
  readonly flow: object[];
  /** By how much the wall clock of Node-RED is wrong. */
  #clockShiftMs = 0;
  /** Empty: that of this machine. */
  #bootId = '';
  #process: NodeRedProcess | undefined;

  /**
   * `more`: additional nodes on the tab `tab`. `disk`: the parent folder of the user directory; other files are
   * elsewhere.
   */
  constructor(service: FakeService, more: object[] = [], disk?: string) {
    this.#service = service;
    this.flow = [...createWaitingFlow(service.account.baseUrl), ...more];
    this.userDir = createUserDirectory(this.flow, disk);
    this.#testFolder = mkdtempSync(path.join(os.tmpdir(), 'waiting-node-red-'));
    this.temporary = path.join(this.#testFolder, 'tmp');
    this.#recordFile = path.join(this.#testFolder, 'arrivals.jsonl');
    mkdirSync(this.temporary);
  }

  async start(): Promise<void> {
    const env = {
      ...createAccountEnvironment(this.#service.account),
      TMPDIR: this.temporary,
      CLOCK_SHIFT_MS: String(this.#clockShiftMs),
      BOOT_ID: this.#bootId,
    };
    const settings = createSettings(this.#recordFile);
    for (let attempt = 1; ; attempt += 1)
      try {
        this.#process = await startNodeRedProcess(this.userDir, await findFreePort(), { env, settings });
        return;
      } catch (error) {
        // Another process may have started to use the port.
        if (attempt === MAX_STARTS || !String(error).includes('port in use')) throw error;
      }
  }

  get pid(): number {
    return this.#process?.child.pid ?? 0;
  }

  log(): string {
    return this.#process?.log() ?? '';
  }

  /** Sends a message with this operation to the wait node. Rejects if Node-RED is killed meanwhile. */
  async wait(operationId: string): Promise<void> {
    await this.post('/wait', { operationId, operation: 'repair' });
  }

  /** Posts JSON. Returns the JSON of the reply. Throws for a status other than 2xx. */
  async post(address: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    const reply = await fetch(`${this.#process?.url}${address}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`Unexpected reply to ${address}: ${reply.status}, ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Restarts all nodes, like a full deploy in the editor. */
  async redeploy(): Promise<void> {
    await this.deploy(this.flow, 'full');
  }

  /** Deploys a flow, like the editor. */
  async deploy(flow: readonly object[], type: 'full' | 'flows' | 'nodes'): Promise<void> {
    const countStarts = () => this.log().match(/Started (modified )?(flows|nodes)/g)?.length ?? 0;
    const earlier = countStarts();
    await this.post('/flows', flow, { 'Node-RED-Deployment-Type': type });
    // Node-RED replies when the old nodes are closed, before the new nodes are started.
    await eventually('the new nodes have started', () => countStarts() > earlier);
  }

  /** Makes the wall clock of Node-RED wrong by this time, also after its next starts. */
  async shiftClock(ms: number): Promise<void> {
    this.#clockShiftMs = ms;
    await this.post('/count-resources', { shiftMs: ms });
  }

  /** Makes the next starts of Node-RED find another boot of the machine. */
  simulateBoot(): void {
    this.#bootId = randomUUID();
  }

  /** Counts the active resources of Node-RED by kind, its open files and its unhandled rejections. */
  async countResources(): Promise<Record<string, number>> {
    return Object(await this.post('/count-resources', {}));
  }

  /** Returns all messages that the wait node has sent since the first start. */
  arrivals(): Arrival[] {
    const lines = readOrEmpty(this.#recordFile).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  /** Stops Node-RED with SIGTERM. */
  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  /** Kills Node-RED with SIGKILL, if it is running. */
  async kill(): Promise<void> {
    const child = this.#process?.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** Kills Node-RED and removes all its files. */
  async remove(): Promise<void> {
    await this.kill();
    for (const folder of [this.userDir, this.#testFolder])
      rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function createWaitingFlow(baseUrl: string): object[] {
  const createNode = (id: string, type: string, wires: string[][], more: object = {}) => ({
    id,
    type,
    z: 'tab',
    x: 100,
    y: 100,
    wires,
    ...more,
  });
  const service = { type: 'model-processing-service', service: 'remote', baseUrl, pollMin: 0.1, pollMax: 0.2 };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'service', ...service },
    createNode('in', 'http in', [['node', 'reply']], { url: '/wait', method: 'post' }),
    createNode('reply', 'http response', []),
    createNode('node', 'model-processing-wait', [['record']], { service: 'service' }),
    createNode('record', 'function', [], { func: "global.get('record')(msg);", outputs: 0 }),
    createNode('count-in', 'http in', [['count']], { url: '/count-resources', method: 'post' }),
    createNode('count', 'function', [['reply']], {
      func: `if (msg.payload.shiftMs !== undefined) global.get('shiftClock')(msg.payload.shiftMs);
        msg.payload = global.get('countResources')(); return msg;`,
      outputs: 1,
    }),
  ];
}
