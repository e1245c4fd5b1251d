import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../../helpers/node-red-process.js';
import { createAccountEnvironment, createUserDirectory } from '../../helpers/user-directory.js';

/** The work that a message requests. It ends with one output or one error. */
export type MessageKind = 'wait' | 'steps' | 'large' | 'process' | 'download';

/** All kinds of messages. */
export const MESSAGE_KINDS: readonly MessageKind[] = ['wait', 'steps', 'large', 'process', 'download'];

/** The end of a message: an output, or an error with its code and the id of the node that reported it. */
export interface MessageEnd {
  /** The number of the message. */
  n: number;
  kind: MessageKind;
  code?: string;
  message?: string;
  node?: string;
  isRepeat: boolean;
  /** The ids of its file and its operations, as far as they were created. */
  ids: string[];
}

const SMALL_BYTES = 2_000;
const LARGE_BYTES = 2 << 20;

/** Node-RED with a flow that receives messages by HTTP and records the end of each message in a file. */
export class OutageNodeRed {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'outages-'));
  readonly #recordFile = path.join(this.#folder, 'ends.jsonl');
  readonly #userDir: string;
  readonly #account: Parameters<typeof createAccountEnvironment>[0];
  readonly #ends: MessageEnd[] = [];
  #readBytes = 0;
  #process: NodeRedProcess | undefined;

  constructor(baseUrl: string, account: Parameters<typeof createAccountEnvironment>[0]) {
    this.#account = account;
    // Both paths and Buffers are uploaded, because their bytes are read at different times.
    writeFileSync(path.join(this.#folder, 'small.stl'), Buffer.alloc(SMALL_BYTES, 'model'));
    writeFileSync(path.join(this.#folder, 'large.stl'), Buffer.alloc(LARGE_BYTES, 'model'));
    this.#userDir = createUserDirectory(createFlow(baseUrl, this.#folder));
  }

  async start(): Promise<void> {
    const settings = `functionGlobalContext: { record: (end) =>
      require('node:fs').appendFileSync(${JSON.stringify(this.#recordFile)}, JSON.stringify(end) + '\\n') },`;
    const env = { ...createAccountEnvironment(this.#account), TMPDIR: this.#folder };
    this.#process = await startNodeRedProcess(this.#userDir, await findFreePort(), { env, settings });
  }

  get isAlive(): boolean {
    const child = this.#process?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  log(): string {
    return this.#process?.log() ?? '';
  }

  /** Sends a message to the flow of its kind. Resolves when the flow has received it. */
  async send(n: number, kind: MessageKind, payload: unknown): Promise<void> {
    const reply = await fetch(`${this.#process?.url}/${kind}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ n, kind, payload }),
    });
    if (!reply.ok) throw new Error(`Unexpected reply to message ${n}: ${reply.status}`);
  }

  /** Returns all ends so far, in order. */
  ends(): readonly MessageEnd[] {
    if (!existsSync(this.#recordFile)) return [];
    // Called repeatedly, so it parses only new complete lines.
    const added = readFileSync(this.#recordFile).subarray(this.#readBytes);
    const complete = added.subarray(0, added.lastIndexOf('\n') + 1);
    this.#readBytes += complete.length;
    for (const line of complete.toString().split('\n')) if (line !== '') this.#ends.push(JSON.parse(line));
    return this.#ends;
  }

  async remove(): Promise<void> {
    await this.#process?.stop();
    for (const folder of [this.#userDir, this.#folder])
      rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  }
}

/** The code of the function node that records the end of a message. */
const RECORD = `const { n, kind, error, input, model = {} } = msg;
  const ids = [input.operationId, input.fileId, model.fileId, ...(model.operations || []).map((entry) => entry.operationId)];
  global.get('record')({ n, kind, code: error && error.code, message: error && error.message, node: error && error.source.id,
    isRepeat: model.isRepeat === true, ids: ids.filter((id) => id !== undefined) });`;

/** Returns the code of a function node that converts an HTTP request to a message with this payload. */
function createUnpackCode(payload: string): string {
  return `const { n, kind, payload: input = {} } = msg.payload; const { req, res } = msg;
    node.send([{ n, kind, input, payload: ${payload}, filename: 'part-' + n + '.stl' }, { req, res }]);`;
}

function createFlow(baseUrl: string, folder: string): object[] {
  const createNode = (id: string, type: string, wires: string[][], more: object = {}) => ({
    id,
    type,
    z: 'tab',
    x: 100,
    y: 100,
    wires,
    ...more,
  });
  const createModelNode = (id: string, type: string, next: string, more: object = {}) =>
    createNode(id, `model-processing-${type}`, [[next]], { service: 'service', ...more });
  const createEntry = (kind: MessageKind, next: string, func: string) => [
    createNode(`${kind}-in`, 'http in', [[`${kind}-unpack`]], { url: `/${kind}`, method: 'post' }),
    createNode(`${kind}-unpack`, 'function', [[next], ['reply']], { func, outputs: 2 }),
  ];
  const service = { type: 'model-processing-service', service: 'remote', baseUrl, pollMin: 0.25, pollMax: 2 };
  return [
    { id: 'tab', type: 'tab', label: 'outages' },
    { id: 'service', ...service },
    ...createEntry('wait', 'wait', createUnpackCode('input')),
    ...createEntry('download', 'download', createUnpackCode('input')),
    ...createEntry('steps', 'upload', createUnpackCode(JSON.stringify(path.join(folder, 'small.stl')))),
    ...createEntry('large', 'upload', createUnpackCode(JSON.stringify(path.join(folder, 'large.stl')))),
    ...createEntry('process', 'process', createUnpackCode(`Buffer.alloc(${SMALL_BYTES}, 'model')`)),
    createModelNode('upload', 'upload', 'import'),
    createModelNode('import', 'import', 'wait'),
    createModelNode('wait', 'wait', 'record'),
    createModelNode('download', 'download', 'record'),
    createModelNode('process', 'process', 'record', { steps: [{ operation: 'repair' }] }),
    createNode('reply', 'http response', []),
    createNode('catch', 'catch', [['record']]),
    createNode('record', 'function', [], { func: RECORD, outputs: 0 }),
  ];
}
