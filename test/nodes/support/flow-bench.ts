import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type { NodeAPI, NodeInitializer, NodeStatus } from 'node-red';
import helper from 'node-red-node-test-helper';

// NODE_RED_DIR: a folder with another installation of Node-RED, to test with that version.
const require = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '.', 'package.json'));
const RED = require('node-red');
helper.init(require.resolve('node-red'));

const NAMES = [
  'service',
  'upload',
  'import',
  'repair',
  'export',
  'wait',
  'download',
  'operation',
  'process',
  'preview',
];

/** Imports the nodes from `dist`, so that the tests run the code that users run. */
function importBuiltNodes(): Promise<NodeInitializer[]> {
  return Promise.all(NAMES.map(async (name) => (await import(path.resolve(`dist/nodes/${name}.js`))).default));
}

/** A node, tab or config node in a flow. */
export interface FlowItem {
  id: string;
  type: string;
  [setting: string]: unknown;
}

/** A message that a helper node has received. */
// biome-ignore lint/suspicious/noExplicitAny: a message may have any properties; reading a wrong one fails the test
export type Message = Record<string, any>;

interface Account {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  username: string;
  password: string;
}

/** Creates a config node for a remote service, with a short poll interval. */
export function createRemoteService({ baseUrl }: Pick<Account, 'baseUrl'>, id = 'service'): FlowItem {
  return {
    id,
    type: 'model-processing-service',
    service: 'remote',
    baseUrl,
    pollMin: 0.05,
    pollMax: 0.05,
  };
}

/** Creates a flow with the node under test, with the id `node`. It is wired to `out`; its errors go to `errors`. */
export function createFlow(node: { type: string; [setting: string]: unknown }, service?: FlowItem): FlowItem[] {
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    ...(service ? [service] : []),
    { id: 'node', ...ON_TAB, name: '', wires: [['out']], ...(service ? { service: service.id } : {}), ...node },
    { id: 'out', ...ON_TAB, type: 'helper', wires: [] },
    { id: 'catcher', ...ON_TAB, type: 'catch', wires: [['errors']] },
    { id: 'errors', ...ON_TAB, type: 'helper', wires: [] },
  ];
}

// Node-RED treats a node without coordinates on a tab as a config node.
const ON_TAB = { z: 'tab', x: 100, y: 100 };

/** A Node-RED runtime with one flow. Records the messages, completed inputs and statuses of its nodes. */
export class FlowBench {
  readonly userDir: string;
  /** The handler of Node-RED's HTTP endpoints for nodes. */
  httpNode: RequestListener = () => undefined;
  /** The handler of the HTTP endpoints for the editor. */
  httpAdmin: RequestListener = () => undefined;
  /** Called with the id of a node that sends, before the next nodes receive the message. */
  onSend: (id: string) => void = () => undefined;
  /** node id → number of inputs that it has completed, with or without an error */
  readonly completed = new Map<string, number>();
  /** node id → its statuses, in order */
  readonly statuses = new Map<string, NodeStatus[]>();
  /** What the nodes sent to the open editors, in order. */
  readonly published: { topic: string; data: object; retain?: boolean; at: number }[] = [];
  /** node id → messages that were received and not read yet, in order */
  readonly #received = new Map<string, Message[]>();
  /** The helper nodes whose messages are recorded. */
  readonly #listened = new WeakSet<object>();
  readonly #wakeFunctions = new Set<() => void>();
  #isClosed: boolean = false;

  constructor(userDir: string) {
    this.userDir = userDir;
  }

  /** Starts Node-RED with a flow and a new user directory. */
  static async start(
    flow: FlowItem[],
    options: { credentials?: Record<string, Partial<Account>>; settings?: Record<string, unknown> } = {},
  ): Promise<FlowBench> {
    const bench = new FlowBench(await mkdtemp(path.join(os.tmpdir(), 'flow-bench-')));
    helper.settings({ userDir: bench.userDir, ...options.settings });
    RED.events.on('node-status', bench.#onStatus);
    RED.events.on('comms', bench.#onPublish);
    RED.hooks.add('onComplete.bench', bench.#onComplete);
    RED.hooks.add('onSend.bench', ([event]: { source: { id: string } }[]) => bench.onSend(event?.source.id ?? ''));
    await helper.load([...(await importBuiltNodes()), bench.#readHandlers], flow, options.credentials ?? {});
    bench.#listen();
    return bench;
  }

  /**
   * Deploys another flow, like the Deploy button of the editor. `onStopped` is called when the previous nodes have
   * closed.
   */
  async deploy(flow: FlowItem[], type: 'full' | 'flows' | 'nodes' = 'full', onStopped = () => {}): Promise<void> {
    const started = once(RED.events, 'flows:started');
    RED.events.once('flows:stopped', onStopped);
    // The helper rejects after 300 ms. The event comes later on a busy machine.
    helper.setFlows(flow, type).catch(() => undefined);
    await started;
    this.#listen();
  }

  /** Stops nodes concurrently, like the first phase of a redeploy: Node-RED removes them from their flow and closes them. */
  stopNodes(...ids: string[]): void {
    for (const id of ids) {
      const node = helper.getNode(id);
      delete Object(node._flow).activeNodes[id];
      node.close(false);
    }
  }

  /** Delays the end of a node's close until the returned function is called. */
  delayClose(id: string): () => void {
    let end: () => void;
    const hasEnded = new Promise<void>((resolve) => {
      end = resolve;
    });
    helper.getNode(id).on('close', (done: () => void) => void hasEnded.then(done));
    return () => end();
  }

  /** Sends a message to a node. */
  send(msg: Record<string, unknown>, id = 'node'): void {
    helper.getNode(id).receive(msg);
  }

  /**
   * Returns the next message that a helper node received. Throws if a message is expected and an error was received, or
   * the other way around.
   */
  async next(id: 'out' | 'errors' = 'out'): Promise<Message> {
    for (;;) {
      const message = this.#received.get(id)?.shift();
      if (message) return message;
      const error = id === 'out' ? this.#received.get('errors')?.[0]?.error : undefined;
      if (error) throw new Error(`Expected a message, but the node failed: ${error.message}`);
      if (id === 'errors' && this.countUnread('out') > 0)
        throw new Error('Expected an error, but the node sent a message.');
      await this.#waitForEvent();
    }
  }

  /** Waits until `condition` returns true. Checks it after each event, and every 20 ms. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#waitForEvent();
  }

  /** Returns the number of messages that a helper node received and `next` has not returned. */
  countUnread(id: string): number {
    return this.#received.get(id)?.length ?? 0;
  }

  /** Returns the flow and the global context of a node. */
  contextOf(id: string): Record<'flow' | 'global', { set: (name: string, value: unknown) => void }> {
    return helper.getNode(id).context();
  }

  /** Returns the lines of Node-RED's log that match. */
  findLogLines(pattern: RegExp): string[] {
    const lines: string[] = helper.log().args.map(([line]) => String(Object(line).msg));
    return lines.filter((line) => pattern.test(line));
  }

  /** Returns the last status of a node. */
  status(id = 'node'): NodeStatus | undefined {
    return this.statuses.get(id)?.at(-1);
  }

  /** Stops Node-RED and deletes its user directory. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#notify();
    RED.events.off('node-status', this.#onStatus);
    RED.events.off('comms', this.#onPublish);
    RED.hooks.remove('*.bench');
    await helper.unload();
    await rm(this.userDir, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 });
  }

  #listen(): void {
    for (const id of ['out', 'out2', 'errors']) {
      const node = helper.getNode(id);
      // A deploy of changed nodes does not replace all nodes.
      if (!node || this.#listened.has(node)) continue;
      this.#listened.add(node);
      node.on('input', (msg) => {
        this.#received.set(id, [...(this.#received.get(id) ?? []), msg]);
        this.#notify();
      });
    }
  }

  readonly #readHandlers = ({ httpNode, httpAdmin }: NodeAPI) => {
    this.httpNode = httpNode;
    this.httpAdmin = httpAdmin;
  };

  readonly #onStatus = ({ id, status }: { id: string; status: NodeStatus }) => {
    this.statuses.set(id, [...(this.statuses.get(id) ?? []), status]);
    this.#notify();
  };

  readonly #onPublish = (event: { topic: string; data: object; retain?: boolean }) => {
    this.published.push({ ...event, at: performance.now() });
    this.#notify();
  };

  readonly #onComplete = ({ node }: { node: { id: string } }) => {
    this.completed.set(node.id, (this.completed.get(node.id) ?? 0) + 1);
    this.#notify();
  };

  #notify(): void {
    for (const wake of this.#wakeFunctions) wake();
  }

  #waitForEvent(): Promise<void> {
    // A test that has timed out must not wait forever.
    if (this.#isClosed) throw new Error('The bench was closed while a test was waiting.');
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakeFunctions.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, 20);
      this.#wakeFunctions.add(wake);
    });
  }
}
