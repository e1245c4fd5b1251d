import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, type NodeRedProcess, startNodeRedProcess } from '../../helpers/node-red-process.js';
import { accountEnvironment, createUserDirectory } from '../../helpers/user-directory.js';

/** What a message does: it ends in one output or one error. */
export type MessageKind = 'wait' | 'steps' | 'large' | 'process' | 'download';

/** One end of a message: an output, or an error with its code. */
export interface MessageEnd {
  n: number;
  kind: MessageKind;
  code?: string;
  message?: string;
  isRepeat: boolean;
}

const LARGE_BYTES = 2 << 20;

/** Node-RED with a flow that takes messages by HTTP and notes each end in a file. */
export class OutageNodeRed {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'outages-'));
  readonly #noted = path.join(this.#folder, 'noted.jsonl');
  readonly #userDir: string;
  readonly #account: Parameters<typeof accountEnvironment>[0];
  #process: NodeRedProcess | undefined;

  constructor(baseUrl: string, account: Parameters<typeof accountEnvironment>[0]) {
    this.#account = account;
    this.#userDir = createUserDirectory(createFlow(baseUrl));
  }

  async start(): Promise<void> {
    const settings = `functionGlobalContext: { note: (end) =>
      require('node:fs').appendFileSync(${JSON.stringify(this.#noted)}, JSON.stringify(end) + '\\n') },`;
    const env = { ...accountEnvironment(this.#account), TMPDIR: this.#folder };
    this.#process = await startNodeRedProcess(this.#userDir, await freePort(), { env, settings });
  }

  get isAlive(): boolean {
    const child = this.#process?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  log(): string {
    return this.#process?.log() ?? '';
  }

  async send(n: number, kind: MessageKind, payload: unknown): Promise<void> {
    const reply = await fetch(`${this.#process?.url}/${kind}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ n, kind, payload }),
    });
    if (!reply.ok) throw new Error(`Node-RED answered ${reply.status} to message ${n}`);
  }

  ends(): MessageEnd[] {
    try {
      const lines = readFileSync(this.#noted, 'utf8').split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  }

  async remove(): Promise<void> {
    await this.#process?.stop();
    for (const folder of [this.#userDir, this.#folder])
      rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  }
}

const NOTE = `global.get('note')({ n: msg.n, kind: msg.kind, code: msg.error && msg.error.code,
  message: msg.error && msg.error.message, isRepeat: msg.model !== undefined && msg.model.isRepeat === true });`;
const UNPACK =
  'const { n, kind, payload } = msg.payload; const { req, res } = msg; node.send([{ n, kind, payload }, { req, res }]);';
const UNPACK_FILE = `const { n, kind } = msg.payload; const { req, res } = msg;
  const payload = Buffer.alloc(kind === 'large' ? ${LARGE_BYTES} : 2000, 'model');
  node.send([{ n, kind, payload, filename: 'part.stl' }, { req, res }]);`;

function createFlow(baseUrl: string): object[] {
  const on = (id: string, type: string, wires: string[][], more: object = {}) => ({
    id,
    type,
    z: 'tab',
    x: 100,
    y: 100,
    wires,
    ...more,
  });
  const ours = (id: string, type: string, next: string, more: object = {}) =>
    on(id, `model-processing-${type}`, [[next]], { service: 'service', ...more });
  const entry = (kind: MessageKind, next: string, func: string) => [
    on(`${kind}-in`, 'http in', [[`${kind}-unpack`]], { url: `/${kind}`, method: 'post' }),
    on(`${kind}-unpack`, 'function', [[next], ['answer']], { func, outputs: 2 }),
  ];
  const service = { type: 'model-processing-service', service: 'remote', baseUrl, pollMin: 0.25, pollMax: 2 };
  return [
    { id: 'tab', type: 'tab', label: 'outages' },
    { id: 'service', ...service },
    ...entry('wait', 'wait', UNPACK),
    ...entry('download', 'download', UNPACK),
    ...entry('steps', 'upload', UNPACK_FILE),
    ...entry('large', 'upload', UNPACK_FILE),
    ...entry('process', 'process', UNPACK_FILE),
    ours('upload', 'upload', 'import'),
    ours('import', 'import', 'wait'),
    ours('wait', 'wait', 'note'),
    ours('download', 'download', 'note'),
    ours('process', 'process', 'note', { steps: [{ operation: 'repair' }] }),
    on('answer', 'http response', []),
    on('catch', 'catch', [['note']]),
    on('note', 'function', [], { func: NOTE, outputs: 0 }),
  ];
}
