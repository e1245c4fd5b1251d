import { Readable } from 'node:stream';
import type { Node, NodeAPI, NodeDef, NodeMessage, NodeMessageInFlow } from 'node-red';
import { delay } from '../delay.js';
import { describedFilename } from '../message/filename.js';
import type { TypedValue } from '../message/message-input.js';
import type { Connection } from '../service/connection.js';
import { findConnection } from '../service/find-connection.js';
import { NodeWaits } from '../waits/node-waits.js';
import type { PendingWait, WaitLease } from '../waits/pending-waits.js';
import { createNodeError, toFlowError } from './flow-error.js';
import { type Field, type Fields, readSettings, type SettingsOf } from './settings.js';
import { type MessageActivity, type Outcome, StatusIndicator } from './status-indicator.js';
import { evaluateTypedInput } from './typed-input.js';

/** Texts of the catalogue that a node keeps at hand. */
const MAX_CACHED_TEXTS = 100;
/** How long a closing node waits for what it has under way to notice. */
const CLOSE_TIMEOUT_MS = 1_000;

/** One message at a node: what its work needs, and how it tells what it does. */
export interface NodeInput<S> {
  readonly RED: NodeAPI;
  readonly msg: NodeMessageInFlow;
  readonly settings: S;
  readonly connection: Connection;
  /** Aborted when the node closes, or is told by `msg.reset` to drop what is under way. */
  readonly signal: AbortSignal;
  readonly activity: MessageActivity;
  /** An operation that the node's predecessor waited for with this message, when a redeploy or the end of Node-RED closed it. */
  readonly held: PendingWait | undefined;
  evaluate(setting: TypedValue): Promise<unknown>;
  /** A text of the node's catalogue, by its key below `status`. */
  text(key: string, values?: Record<string, string>): string;
  /** From here on `wait` is handed on to the node's successor, if the node closes before this message is through. */
  trackWait(wait: PendingWait): void;
}

export interface FlowNodeDefinition<F extends Fields> {
  /** `upload` for `model-processing-upload`; also the first key of its catalogue. */
  name: string;
  fields: F & { service: Field<string> };
  /** Changes the message and says what the badge shall show; whatever it throws goes to the Catch nodes. */
  run: (input: NodeInput<SettingsOf<F>>) => Promise<Outcome>;
}

/**
 * Registers a flow node. Every input ends in exactly one `done`, and a message that went well is sent on before it; an input that is
 * still running when the node closes ends in none, and nothing is sent. A message with `reset` drops all that are under way: they end in
 * `done` too, and are not sent.
 */
export function registerFlowNode<F extends Fields>(RED: NodeAPI, definition: FlowNodeDefinition<F>): void {
  function FlowNode(this: Node, saved: NodeDef): void {
    RED.nodes.createNode(this, saved);
    new FlowNodeInstance(RED, this, saved, definition).begin();
  }
  RED.nodes.registerType(`model-processing-${definition.name}`, FlowNode);
}

type Send = (msg: NodeMessage | (NodeMessage | null)[]) => void;
type Done = (error?: Error) => void;

/** One message under way. `trackWait`: what it waits for, once it does. */
interface ActiveInput {
  msg: NodeMessageInFlow;
  activity: MessageActivity;
  work: AbortController;
  trackWait: WaitLease | undefined;
  ended: Promise<void> | undefined;
}

type RunResult = { outcome: Outcome } | { thrown: unknown };

class FlowNodeInstance<F extends Fields> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #definition: FlowNodeDefinition<F>;
  readonly #settings: SettingsOf<F>;
  readonly #service: string;
  readonly #connection: Connection | undefined;
  readonly #badge: StatusIndicator;
  readonly #waits: NodeWaits;
  readonly #running = new Set<ActiveInput>();
  readonly #texts = new Map<string, string>();
  #isClosing: boolean = false;

  constructor(RED: NodeAPI, node: Node, saved: NodeDef, definition: FlowNodeDefinition<F>) {
    this.#RED = RED;
    this.#node = node;
    this.#definition = definition;
    this.#settings = readSettings(definition.fields, saved);
    this.#service = definition.fields.service.read(Object(saved).service);
    this.#connection = findConnection(RED, this.#service);
    this.#badge = new StatusIndicator(node);
    this.#waits = new NodeWaits(RED, node);
  }

  begin(): void {
    if (!this.#connection || this.#connection.problem) this.#badge.fail(this.#text('notConfigured'));
    const stopNotices = this.#connection?.onNotice(() => this.#showNotice());
    this.#showNotice();
    this.#node.on('input', (msg, send, done) => {
      // Node-RED takes this listener away only when all of the node has closed.
      if (this.#isClosing) return;
      if (Object.hasOwn(msg, 'reset')) this.#reset(done);
      else this.#start(msg, send, done);
    });
    // Node-RED tells by the number of parameters that it has to wait for the second one.
    this.#node.on('close', (isRemoved: boolean, done: () => void) => {
      stopNotices?.();
      this.#close(isRemoved).then(done, done);
    });
  }

  #start(msg: NodeMessageInFlow, send: Send, done: Done): void {
    // A stream may break before anybody reads it, and with nobody to hear of it that would end Node-RED.
    if (msg.payload instanceof Readable) msg.payload.on('error', () => undefined);
    const trackWait = this.#waits.claimFor(msg);
    const activity = this.#badge.begin();
    const run: ActiveInput = { msg, work: new AbortController(), activity, trackWait, ended: undefined };
    this.#running.add(run);
    run.ended = this.#handle(run, send, done);
  }

  // Never rejects: a rejected promise that nobody holds would end Node-RED. One function for it all, since there may be very many.
  async #handle(run: ActiveInput, send: Send, done: Done): Promise<void> {
    try {
      let end: RunResult;
      try {
        end = { outcome: await this.#definition.run(this.#createInput(run)) };
      } catch (thrown) {
        end = { thrown };
      }
      run.activity.drop();
      if (!this.#isClosing) this.#finish(run, end, send, done);
    } catch (error) {
      // Whatever a hook or a Catch node's flow throws.
      this.#node.error(error);
    } finally {
      this.#running.delete(run);
    }
  }

  #finish(run: ActiveInput, end: RunResult, send: Send, done: Done): void {
    if (run.work.signal.aborted) {
      done();
      return;
    }
    if (run.trackWait) this.#waits.send(run.trackWait, () => this.#send(run, end, send, done));
    else this.#send(run, end, send, done);
  }

  #send(run: ActiveInput, end: RunResult, send: Send, done: Done): void {
    if ('outcome' in end) {
      run.activity.succeed(end.outcome);
      send(toOutput(run.msg, end.outcome.output));
      done();
    } else {
      this.#fail(run, end.thrown, done);
    }
  }

  #fail({ msg, activity }: ActiveInput, thrown: unknown, done: Done): void {
    const error = toFlowError(thrown, describedFilename(msg));
    activity.fail(error.code === 'NOT_CONFIGURED' ? this.#text('notConfigured') : (error.code ?? error.message));
    const { statusCode } = Object(thrown);
    if (typeof statusCode === 'number') msg.statusCode = statusCode;
    else delete msg.statusCode;
    done(error);
  }

  #createInput(run: ActiveInput): NodeInput<SettingsOf<F>> {
    const { msg, activity } = run;
    const { signal } = run.work;
    const held = run.trackWait?.wait;
    // Who waits is asked, even where the node uses another service by now: only that one knows the operation.
    const connection = findConnection(this.#RED, held?.service) ?? this.#connection;
    if (!connection) throw createNodeError('NOT_CONFIGURED', 'choose a service: this node has none');
    if (connection.problem) throw createNodeError('NOT_CONFIGURED', connection.problem);
    return {
      RED: this.#RED,
      msg,
      settings: this.#settings,
      connection,
      signal,
      activity,
      held,
      evaluate: ({ value, type }) => evaluateTypedInput(this.#RED, this.#node, msg, value, type),
      text: (key, values) => this.#text(key, values),
      trackWait: (wait) => {
        wait.service ??= held?.service ?? this.#service;
        // An abort may have come since: what was dropped must not wait again.
        if (!signal.aborted) run.trackWait = this.#waits.track(wait, run.trackWait);
      },
    };
  }

  #reset(done: Done): void {
    const count = String(this.#running.size);
    this.#waits.drop();
    for (const { activity } of this.#running) activity.drop();
    this.#abort('the message was dropped');
    this.#badge.begin().succeed({ text: this.#text('dropped', { count }) });
    done();
  }

  async #close(isRemoved: boolean): Promise<void> {
    this.#isClosing = true;
    this.#waits.close(isRemoved);
    this.#abort('the node is closing');
    const settled = new AbortController();
    const ended = Promise.allSettled([...this.#running].map((run) => run.ended));
    await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, settled.signal)]);
    settled.abort();
  }

  #abort(reason: string): void {
    const error = createNodeError('ABORTED', reason);
    for (const { work } of [...this.#running]) work.abort(error);
  }

  #showNotice(): void {
    const notice = this.#connection?.notice;
    this.#badge.notice(notice && this.#text(notice));
  }

  // A text that is shown for every message is looked up once.
  #text(key: string, values?: Record<string, string>): string {
    const name = values ? `${key} ${Object.values(values).join(' ')}` : key;
    const existing = this.#texts.get(name);
    if (existing !== undefined) return existing;
    const text = this.#RED._(`${this.#definition.name}.status.${key}`, values);
    if (this.#texts.size < MAX_CACHED_TEXTS) this.#texts.set(name, text);
    return text;
  }
}

/** What `send` wants for a message that leaves by this output. */
function toOutput(msg: NodeMessage, output = 0): NodeMessage | (NodeMessage | null)[] {
  return output === 0 ? msg : [...Array.from({ length: output }, () => null), msg];
}
