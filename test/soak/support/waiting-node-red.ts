import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FakeService } from '../../helpers/fake-service.js';
import { freePort, type NodeRedProcess, startNodeRedProcess } from '../../helpers/node-red-process.js';
import { eventually } from '../../helpers/processes.js';
import { accountEnvironment, createUserDirectory } from '../../helpers/user-directory.js';

const MAX_STARTS = 3;

/** A message that came out of the wait node. */
export interface Arrival {
  operationId: string;
  isRepeat: boolean;
}

/** Settings of a Node-RED whose function nodes note, before they return, what they get; and that counts what it holds. */
function SETTINGS(noted: string): string {
  return `functionGlobalContext: {
    note: (msg) => require('node:fs').appendFileSync(${JSON.stringify(noted)}, JSON.stringify({
      operationId: msg.payload.operationId, isRepeat: msg.model.isRepeat === true }) + '\\n'),
    census: () => {
      const counts = {};
      for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
      return { ...counts, unhandled: globalThis.unhandledCount ?? 0,
        files: require('node:fs').readdirSync('/proc/self/fd').length };
    },
  },
  rejections: process.on('unhandledRejection', () => { globalThis.unhandledCount = (globalThis.unhandledCount ?? 0) + 1; }).listenerCount(''),`;
}

/**
 * A user directory, and the Node-RED that runs in it: a message by HTTP to a wait node, whose messages are noted in a file that survives
 * every kill. Whatever has been answered with 200 is at the wait node.
 */
export class WaitingNodeRed {
  readonly userDir: string;
  readonly temporary: string;
  readonly #own: string;
  readonly #noted: string;
  readonly #service: FakeService;
  readonly flow: object[];
  #process: NodeRedProcess | undefined;

  /** `more`: further nodes of the flow, on the tab `tab`. `disk`: holds the user directory; what the test itself notes stands elsewhere. */
  constructor(service: FakeService, more: object[] = [], disk?: string) {
    this.#service = service;
    this.flow = [...waitingFlow(service.account.baseUrl), ...more];
    this.userDir = createUserDirectory(this.flow, disk);
    this.#own = mkdtempSync(path.join(os.tmpdir(), 'waiting-node-red-'));
    this.temporary = path.join(this.#own, 'tmp');
    this.#noted = path.join(this.#own, 'noted.jsonl');
    mkdirSync(this.temporary);
  }

  async start(): Promise<void> {
    const env = { ...accountEnvironment(this.#service.account), TMPDIR: this.temporary };
    const settings = SETTINGS(this.#noted);
    for (let attempt = 1; ; attempt += 1)
      try {
        this.#process = await startNodeRedProcess(this.userDir, await freePort(), { env, settings });
        return;
      } catch (error) {
        // Another process may take the port before Node-RED does.
        if (attempt === MAX_STARTS || !String(error).includes('port in use')) throw error;
      }
  }

  get pid(): number {
    return this.#process?.child.pid ?? 0;
  }

  log(): string {
    return this.#process?.log() ?? '';
  }

  /** Hands a message with this operation to the wait node. Rejects where Node-RED was killed meanwhile. */
  async wait(operationId: string): Promise<void> {
    await this.post('/wait', { operationId, operation: 'repair' });
  }

  async post(address: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    const reply = await fetch(`${this.#process?.url}${address}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${address} answered ${reply.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Replaces all nodes by new ones, as the button Deploy does. */
  async redeploy(): Promise<void> {
    await this.post('/flows', this.flow, { 'Node-RED-Deployment-Type': 'full' });
    // It answers when the old nodes are gone, not when the new ones are there.
    const isThere = () => this.census().then(Boolean, () => false);
    await eventually('the new nodes are there', isThere);
  }

  /** What Node-RED holds: its open handles by kind, open files, and rejections that nobody heard of. */
  async census(): Promise<Record<string, number>> {
    return Object(await this.post('/census', {}));
  }

  /** Everything that came out of the wait node, over all starts. */
  arrivals(): Arrival[] {
    const lines = readOrEmpty(this.#noted).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  /** Asks it to end, as the system does when it shuts down. */
  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  async kill(): Promise<void> {
    const child = this.#process?.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    for (const folder of [this.userDir, this.#own])
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

function waitingFlow(baseUrl: string): object[] {
  const on = (id: string, type: string, wires: string[][], more: object = {}) => ({
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
    on('in', 'http in', [['node', 'answer']], { url: '/wait', method: 'post' }),
    on('answer', 'http response', []),
    on('node', 'model-processing-wait', [['note']], { service: 'service' }),
    on('note', 'function', [], { func: "global.get('note')(msg);", outputs: 0 }),
    on('census-in', 'http in', [['census']], { url: '/census', method: 'post' }),
    on('census', 'function', [['answer']], { func: "msg.payload = global.get('census')(); return msg;", outputs: 1 }),
  ];
}
