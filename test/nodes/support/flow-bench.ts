import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type { NodeAPI, NodeInitializer, NodeStatus } from 'node-red';
import helper from 'node-red-node-test-helper';

// NODE_RED_DIR: a folder in which another Node-RED is installed than the one of this checkout.
const require = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '.', 'package.json'));
const RED = require('node-red');
helper.init(require.resolve('node-red'));

const NAMES = ['service', 'upload', 'import', 'repair', 'export', 'wait', 'download', 'operation', 'process'];

/** The built nodes: what users run is what is tested. */
function builtNodes(): Promise<NodeInitializer[]> {
  return Promise.all(NAMES.map(async (name) => (await import(path.resolve(`dist/nodes/${name}.js`))).default));
}

export interface FlowItem {
  id: string;
  type: string;
  [setting: string]: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: a message may hold anything, and a test that reads it wrong fails
export type Message = Record<string, any>;

interface Account {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

/** A config node for a remote service, with short pauses between looks. */
export function remoteService({ baseUrl }: Pick<Account, 'baseUrl'>, id = 'service'): FlowItem {
  return {
    id,
    type: 'model-processing-service',
    service: 'remote',
    baseUrl,
    pollMin: 0.05,
    pollMax: 0.05,
  };
}

/** The node under test, `node`, wired to `out`; its errors go to `errors`. */
export function flowOf(node: { type: string; [setting: string]: unknown }, service?: FlowItem): FlowItem[] {
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    ...(service ? [service] : []),
    { id: 'node', ...ON_TAB, name: '', wires: [['out']], ...(service ? { service: service.id } : {}), ...node },
    { id: 'out', ...ON_TAB, type: 'helper', wires: [] },
    { id: 'catcher', ...ON_TAB, type: 'catch', wires: [['errors']] },
    { id: 'errors', ...ON_TAB, type: 'helper', wires: [] },
  ];
}

// Without a place on a tab Node-RED takes a node for a config node.
const ON_TAB = { z: 'tab', x: 100, y: 100 };

/** A real Node-RED runtime with one flow in it; what its nodes send, complete and show is kept. */
export class FlowBench {
  readonly userDir: string;
  /** What answers at Node-RED's address for nodes. */
  httpNode: RequestListener = () => undefined;
  /** Called when a node of this id sends, before the next nodes have the message. */
  onSend: (id: string) => void = () => undefined;
  /** Per node: how many inputs it has completed, with or without an error. */
  readonly completed = new Map<string, number>();
  readonly statuses = new Map<string, NodeStatus[]>();
  readonly #received = new Map<string, Message[]>();
  readonly #wake = new Set<() => void>();
  #isClosed: boolean = false;

  constructor(userDir: string) {
    this.userDir = userDir;
  }

  static async start(
    flow: FlowItem[],
    options: { credentials?: Record<string, Partial<Account>>; settings?: Record<string, unknown> } = {},
  ): Promise<FlowBench> {
    const bench = new FlowBench(await mkdtemp(path.join(os.tmpdir(), 'flow-bench-')));
    helper.settings({ userDir: bench.userDir, ...options.settings });
    RED.events.on('node-status', bench.#onStatus);
    RED.hooks.add('onComplete.bench', bench.#onComplete);
    RED.hooks.add('onSend.bench', ([event]: { source: { id: string } }[]) => bench.onSend(event?.source.id ?? ''));
    await helper.load([...(await builtNodes()), bench.#takeHttpNode], flow, options.credentials ?? {});
    bench.#listen();
    return bench;
  }

  /** Deploys another flow, as the editor's Deploy button does. */
  async deploy(flow: FlowItem[], type: 'full' | 'nodes' = 'full'): Promise<void> {
    const started = once(RED.events, 'flows:started');
    // The helper gives up after 300 ms; we wait for the event itself.
    helper.setFlows(flow, type).catch(() => undefined);
    await started;
    this.#listen();
  }

  /** Closes nodes as a redeploy does first, all at once. */
  closeNodes(...ids: string[]): void {
    for (const id of ids) helper.getNode(id).close(false);
  }

  send(msg: Record<string, unknown>, id = 'node'): void {
    helper.getNode(id).receive(msg);
  }

  /** What a node received, in order: the next one that was not taken yet. */
  async next(id: 'out' | 'errors' = 'out'): Promise<Message> {
    for (;;) {
      const message = this.#received.get(id)?.shift();
      if (message) return message;
      const error = id === 'out' ? this.#received.get('errors')?.[0]?.error : undefined;
      if (error) throw new Error(`expected a message, but the node failed: ${error.message}`);
      if (id === 'errors' && this.left('out') > 0)
        throw new Error('expected an error, but the node sent its message on');
      await this.#change();
    }
  }

  /** Waits until `holds` is true; asked again whenever something has happened, and every 20 ms. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#change();
  }

  /** Messages that a node received and nobody took. */
  left(id: string): number {
    return this.#received.get(id)?.length ?? 0;
  }

  /** The lines of Node-RED's log that match. */
  logged(pattern: RegExp): string[] {
    const lines: string[] = helper.log().args.map(([line]) => String(Object(line).msg));
    return lines.filter((line) => pattern.test(line));
  }

  status(id = 'node'): NodeStatus | undefined {
    return this.statuses.get(id)?.at(-1);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changed();
    RED.events.off('node-status', this.#onStatus);
    RED.hooks.remove('*.bench');
    await helper.unload();
    await rm(this.userDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  }

  #listen(): void {
    for (const id of ['out', 'out2', 'errors']) {
      const node = helper.getNode(id);
      if (!node) continue;
      node.on('input', (msg) => {
        this.#received.set(id, [...(this.#received.get(id) ?? []), msg]);
        this.#changed();
      });
    }
  }

  readonly #takeHttpNode = ({ httpNode }: NodeAPI) => {
    this.httpNode = httpNode;
  };

  readonly #onStatus = ({ id, status }: { id: string; status: NodeStatus }) => {
    this.statuses.set(id, [...(this.statuses.get(id) ?? []), status]);
    this.#changed();
  };

  readonly #onComplete = ({ node }: { node: { id: string } }) => {
    this.completed.set(node.id, (this.completed.get(node.id) ?? 0) + 1);
    this.#changed();
  };

  #changed(): void {
    for (const wake of this.#wake) wake();
  }

  #change(): Promise<void> {
    // Else a test that has timed out would go on asking for ever.
    if (this.#isClosed) throw new Error('the bench was closed while a test waited for something');
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wake.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, 20);
      this.#wake.add(wake);
    });
  }
}
