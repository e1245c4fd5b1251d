import { setMaxListeners } from 'node:events';
import type { Node, NodeAPI, NodeDef, NodeMessage, NodeMessageInFlow } from 'node-red';
import { type Activity, Badge, type Outcome } from './badge.js';
import type { Connection } from './connection.js';
import { findConnection } from './find-connection.js';
import { FlowError, nodeError, toFlowError } from './flow-error.js';
import type { HeldWait } from './held-waits.js';
import type { TypedValue } from './message-input.js';
import { pause } from './pause.js';
import { heldWaits } from './registry.js';
import { type Fields, readSettings, type SettingsOf } from './settings.js';
import { evaluateTypedInput } from './typed-input.js';

/** How long a closing node waits for what it has under way to notice. */
const CLOSE_MS = 1_000;

/** One message at a node: what its work needs, and how it tells what it does. */
export interface Input<S> {
  readonly RED: NodeAPI;
  readonly msg: NodeMessageInFlow;
  readonly settings: S;
  readonly connection: Connection;
  /** Aborted when the node closes. */
  readonly signal: AbortSignal;
  readonly activity: Activity;
  /** An operation that the node's predecessor waited for with this message, when a redeploy closed it. */
  readonly held: HeldWait | undefined;
  evaluate(setting: TypedValue): Promise<unknown>;
  /** A text of the node's catalogue, by its key below `status`. */
  text(key: string, values?: Record<string, string>): string;
  /** From here on `wait` is handed on to the node's successor, if a redeploy closes it before this message is through. */
  hold(wait: HeldWait): void;
}

export interface FlowNodeDefinition<F extends Fields> {
  /** `upload` for `model-processing-upload`; also the first key of its catalogue. */
  name: string;
  fields: F & { service: Fields[string] };
  /** Changes the message and says what the badge shall show; whatever it throws goes to the Catch nodes. */
  run: (input: Input<SettingsOf<F>>) => Promise<Outcome>;
}

/**
 * Registers a flow node: one input, one output. Every input ends in exactly one `done`, and a message that went well is sent on
 * before it; an input that is still running when the node closes ends in none, and nothing is sent.
 */
export const registerFlowNode = <F extends Fields>(RED: NodeAPI, definition: FlowNodeDefinition<F>): void => {
  function FlowNode(this: Node, saved: NodeDef): void {
    RED.nodes.createNode(this, saved);
    new FlowNodeLife(RED, this, saved, definition).begin();
  }
  RED.nodes.registerType(`model-processing-${definition.name}`, FlowNode);
};

class FlowNodeLife<F extends Fields> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #definition: FlowNodeDefinition<F>;
  readonly #settings: SettingsOf<F>;
  readonly #connection: Connection | undefined;
  readonly #badge: Badge;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #holding = new Map<Activity, HeldWait>();
  readonly #taken = new Map<NodeMessage, HeldWait>();

  constructor(RED: NodeAPI, node: Node, saved: NodeDef, definition: FlowNodeDefinition<F>) {
    this.#RED = RED;
    this.#node = node;
    this.#definition = definition;
    this.#settings = readSettings(definition.fields, saved);
    this.#connection = findConnection(RED, this.#settings.service);
    this.#badge = new Badge(node);
    // Each message under way listens to it; their number is bounded by the queue.
    setMaxListeners(0, this.#closing.signal);
  }

  begin(): void {
    if (!this.#connection || this.#connection.problem) this.#badge.fail(this.#text('notConfigured'));
    const stopNotices = this.#connection?.onNotice(() => this.#showNotice());
    this.#showNotice();
    const stopTaking = this.#takeHeldWaits();
    this.#node.on('input', (msg, send, done) => {
      const running = this.#handle(msg, send, done)
        // Whatever a hook or a Catch node's flow throws: a rejected promise that nobody holds would end Node-RED.
        .catch((error: unknown) => this.#node.error(error))
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
    // Node-RED tells by the number of parameters that it has to wait for the second one.
    this.#node.on('close', (removed: boolean, done: () => void) => {
      stopNotices?.();
      stopTaking();
      this.#close(removed).then(done, done);
    });
  }

  async #handle(
    msg: NodeMessageInFlow,
    send: (msg: NodeMessage | (NodeMessage | null)[]) => void,
    done: (error?: Error) => void,
  ): Promise<void> {
    const held = this.#taken.get(msg);
    this.#taken.delete(msg);
    const activity = this.#badge.begin();
    const end = await this.#run(msg, held, activity);
    this.#holding.delete(activity);
    activity.drop();
    if (this.#closing.signal.aborted) return;
    if ('outcome' in end) {
      activity.succeed(end.outcome);
      send(toOutput(msg, end.outcome.output));
      done();
      return;
    }
    const error = toFlowError(end.thrown);
    activity.fail(error.code === 'NOT_CONFIGURED' ? this.#text('notConfigured') : (error.code ?? error.message));
    const { statusCode } = Object(end.thrown);
    if (typeof statusCode === 'number') msg.statusCode = statusCode;
    else delete msg.statusCode;
    done(error);
  }

  async #run(
    msg: NodeMessageInFlow,
    held: HeldWait | undefined,
    activity: Activity,
  ): Promise<{ outcome: Outcome } | { thrown: unknown }> {
    try {
      return { outcome: await this.#definition.run(this.#inputOf(msg, held, activity)) };
    } catch (thrown) {
      return { thrown };
    }
  }

  #inputOf(msg: NodeMessageInFlow, held: HeldWait | undefined, activity: Activity): Input<SettingsOf<F>> {
    const connection = this.#connection;
    if (!connection) throw nodeError('NOT_CONFIGURED', 'choose a service: this node has none');
    if (connection.problem) throw nodeError('NOT_CONFIGURED', connection.problem);
    return {
      RED: this.#RED,
      msg,
      settings: this.#settings,
      connection,
      signal: this.#closing.signal,
      activity,
      held,
      evaluate: ({ value, type }) => evaluateTypedInput(this.#RED, this.#node, msg, value, type),
      text: (key, values) => this.#text(key, values),
      hold: (wait) => {
        this.#holding.set(activity, wait);
      },
    };
  }

  // The predecessor's messages come in once more, when all nodes that they may be sent on to are there.
  #takeHeldWaits(): () => void {
    for (const wait of heldWaits.take(this.#path)) this.#taken.set(wait.msg, wait);
    const receive = () => {
      for (const { msg } of [...this.#taken.values()]) this.#node.receive(msg);
    };
    if (this.#taken.size > 0) this.#RED.events.once('flows:started', receive);
    return () => this.#RED.events.off('flows:started', receive);
  }

  // Stays the same over redeploys, also inside of subflows, where ids are made anew.
  get #path(): string {
    return '_path' in this.#node && typeof this.#node._path === 'string' ? this.#node._path : this.#node.id;
  }

  async #close(removed: boolean): Promise<void> {
    if (!removed) heldWaits.put(this.#path, [...this.#taken.values(), ...this.#holding.values()]);
    this.#closing.abort(new FlowError('ABORTED', 'the node is closing'));
    const settled = new AbortController();
    await Promise.race([Promise.allSettled([...this.#running]), pause(CLOSE_MS, settled.signal)]);
    settled.abort();
  }

  #showNotice(): void {
    const notice = this.#connection?.notice;
    this.#badge.notice(notice && this.#text(notice));
  }

  #text(key: string, values?: Record<string, string>): string {
    return this.#RED._(`${this.#definition.name}.status.${key}`, values);
  }
}

/** What `send` wants for a message that leaves by this output. */
const toOutput = (msg: NodeMessage, output = 0): NodeMessage | (NodeMessage | null)[] =>
  output === 0 ? msg : [...Array.from({ length: output }, () => null), msg];
