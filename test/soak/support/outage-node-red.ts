import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, type NodeRedProcess, startNodeRedProcess } from '../../helpers/node-red-process.js';
import { accountEnvironment, createUserDirectory } from '../../helpers/user-directory.js';

/** What a message does: it ends in one output or one error. */
export type MessageKind = 'wait' | 'steps' | 'large' | 'process' | 'download';

export const MESSAGE_KINDS: readonly MessageKind[] = ['wait', 'steps', 'large', 'process', 'download'];

/** One end of a message: an output, or an error with its code and the id of the node that reported it. */
export interface MessageEnd {
  n: number;
  kind: MessageKind;
  code?: string;
  message?: string;
  node?: string;
  isRepeat: boolean;
  /** Of its file and its operations, as far as it came. */
  ids: string[];
}

const SMALL_BYTES = 2_000;
const LARGE_BYTES = 2 << 20;

/** Node-RED with a flow that takes messages by HTTP and notes each end in a file. */
export class OutageNodeRed {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'outages-'));
  readonly #noted = path.join(this.#folder, 'noted.jsonl');
  readonly #userDir: string;
  readonly #account: Parameters<typeof accountEnvironment>[0];
  readonly #ends: MessageEnd[] = [];
  #readBytes = 0;
  #process: NodeRedProcess | undefined;

  constructor(baseUrl: string, account: Parameters<typeof accountEnvironment>[0]) {
    this.#account = account;
    // Uploads of paths and of Buffers read their bytes at other moments.
    writeFileSync(path.join(this.#folder, 'small.stl'), Buffer.alloc(SMALL_BYTES, 'model'));
    writeFileSync(path.join(this.#folder, 'large.stl'), Buffer.alloc(LARGE_BYTES, 'model'));
    this.#userDir = createUserDirectory(createFlow(baseUrl, this.#folder));
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

  /** Every end so far, in the order in which they came. */
  ends(): readonly MessageEnd[] {
    if (!existsSync(this.#noted)) return [];
    // Asked for again and again, so that only what was added is read.
    const added = readFileSync(this.#noted).subarray(this.#readBytes);
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1);
    this.#readBytes += whole.length;
    for (const line of whole.toString().split('\n')) if (line !== '') this.#ends.push(JSON.parse(line));
    return this.#ends;
  }

  async remove(): Promise<void> {
    await this.#process?.stop();
    for (const folder of [this.#userDir, this.#folder])
      rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  }
}

const NOTE = `const { n, kind, error, given, model = {} } = msg;
  const ids = [given.operationId, given.fileId, model.fileId, ...(model.operations || []).map((entry) => entry.operationId)];
  global.get('note')({ n, kind, code: error && error.code, message: error && error.message, node: error && error.source.id,
    isRepeat: model.isRepeat === true, ids: ids.filter((id) => id !== undefined) });`;

/** The source of a function node that makes a message of what came by HTTP, with this payload. */
function unpackAs(payload: string): string {
  return `const { n, kind, payload: given = {} } = msg.payload; const { req, res } = msg;
    node.send([{ n, kind, given, payload: ${payload}, filename: 'part-' + n + '.stl' }, { req, res }]);`;
}

function createFlow(baseUrl: string, folder: string): object[] {
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
    ...entry('wait', 'wait', unpackAs('given')),
    ...entry('download', 'download', unpackAs('given')),
    ...entry('steps', 'upload', unpackAs(JSON.stringify(path.join(folder, 'small.stl')))),
    ...entry('large', 'upload', unpackAs(JSON.stringify(path.join(folder, 'large.stl')))),
    ...entry('process', 'process', unpackAs(`Buffer.alloc(${SMALL_BYTES}, 'model')`)),
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
