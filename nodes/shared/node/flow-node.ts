import type { Node, NodeAPI, NodeDef, NodeMessageInFlow } from 'node-red';
import { findCloseTimeout } from '../close-timeout.js';
import { delay } from '../delay.js';
import { describedFilename } from '../message/filename.js';
import type { FormFile } from '../message/form-files.js';
import { isStream } from '../message/is-stream.js';
import type { Connection } from '../service/connection.js';
import { findConnection } from '../service/find-connection.js';
import { watchClones, watchDeploys } from '../service/registry.js';
import { NodeWaits } from '../waits/node-waits.js';
import type { PendingTransfer, PendingWait } from '../waits/pending-waits.js';
import { createTransferWait } from '../waits/stored-wait.js';
import { type ActiveInput, type Done, listDiscarded, type Send, toOutput } from './active-input.js';
import { cancelRuns, isCancelMessage, readCancelId } from './cancel-message.js';
import { createNodeError, toFlowError } from './flow-error.js';
import { createPartMessages, type FormPart } from './message-parts.js';
import type { FlowNodeDefinition, NodeInput } from './node-input.js';
import { type Fields, readSettings, type SettingsOf } from './settings.js';
import { type Outcome, StatusIndicator } from './status-indicator.js';
import { createStatusTexts, failureText } from './status-texts.js';
import { evaluateTypedInput } from './typed-input.js';

/**
 * Registers a node type. Each input calls `done` exactly once, after the message was sent if it succeeded. An input
 * that is in progress when the node closes calls neither `send` nor `done`. A message with `msg.reset` discards all
 * messages in progress: `done` is called for them, `send` is not.
 */
export function registerFlowNode<F extends Fields>(RED: NodeAPI, definition: FlowNodeDefinition<F>): void {
  registerStatefulNode(RED, definition.name, () => definition);
}

/** Like `registerFlowNode`, for a node type whose nodes have a state: each node gets a definition of its own. */
export function registerStatefulNode<F extends Fields>(
  RED: NodeAPI,
  name: string,
  define: (node: Node) => FlowNodeDefinition<F>,
): void {
  watchDeploys(RED);
  watchClones(RED);
  function FlowNode(this: Node, saved: NodeDef): void {
    RED.nodes.createNode(this, saved);
    new FlowNodeInstance(RED, this, saved, define(this)).start();
  }
  RED.nodes.registerType(`model-processing-${name}`, FlowNode);
}

type RunResult = { outcome: Outcome } | { error: unknown };

class FlowNodeInstance<F extends Fields> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #definition: FlowNodeDefinition<F>;
  readonly #settings: SettingsOf<F>;
  readonly #service: string;
  readonly #connection: Connection | undefined;
  readonly #status: StatusIndicator;
  readonly #waits: NodeWaits;
  readonly #running = new Set<ActiveInput>();
  readonly #text: (key: string, values?: Record<string, string>) => string;
  #isClosing: boolean = false;

  constructor(RED: NodeAPI, node: Node, saved: NodeDef, definition: FlowNodeDefinition<F>) {
    this.#RED = RED;
    this.#node = node;
    this.#definition = definition;
    this.#settings = readSettings(definition.fields, saved);
    this.#service = definition.fields.service.read(Object(saved).service);
    this.#connection = findConnection(RED, this.#service);
    this.#status = new StatusIndicator(node);
    this.#text = createStatusTexts(RED, definition.name);
    const withdraw = (wait: PendingWait) => this.#findConnection(wait)?.withdrawCallback(wait.operationId);
    this.#waits = new NodeWaits(RED, node, withdraw);
  }

  start(): void {
    if (!this.#connection || this.#connection.problem) this.#status.fail(this.#text('notConfigured'));
    const warning = this.#definition.findWarning?.(this.#settings);
    if (warning !== undefined) this.#node.warn(warning);
    const unsubscribe = this.#connection?.subscribeToNotice(() => this.#showNotice());
    this.#showNotice();
    this.#node.on('input', (msg, send, done) => {
      if (this.#isClosing) return; // Node-RED removes this listener only after the node has closed completely
      if (Object.hasOwn(msg, 'reset')) this.#reset(done);
      else this.#process(msg, send, done);
    });
    // Node-RED waits for `done` only if the listener declares it.
    this.#node.on('close', (done: () => void) => {
      unsubscribe?.();
      this.#close().then(done, done);
    });
  }

  #process(msg: NodeMessageInFlow, send: Send, done: Done): void {
    // A stream may fail before it is read. Without a listener, its `error` event would terminate Node-RED.
    if (isStream(msg.payload)) msg.payload.on('error', () => undefined);
    this.#begin(msg, undefined, send, done);
  }

  #begin(msg: NodeMessageInFlow, part: FormPart | undefined, send: Send, done: Done): ActiveInput {
    const lease = this.#waits.claimFor(msg);
    const activity = this.#status.begin();
    const run: ActiveInput = {
      msg,
      part,
      controller: new AbortController(),
      cancellation: undefined,
      activity,
      lease,
      forward: () => {
        // The next nodes may change the message, and this node must not change it any more.
        run.msg = { ...msg };
        run.forward = () => undefined;
        send(msg);
      },
      completion: undefined,
    };
    this.#running.add(run);
    run.completion = this.#handle(run, send, done);
    return run;
  }

  // Never rejects: an unhandled rejection would terminate Node-RED. A single async function, because each pending
  // promise takes memory and many messages may wait.
  async #handle(run: ActiveInput, send: Send, done: Done): Promise<void> {
    try {
      let result: RunResult;
      try {
        const input = this.#createInput(run);
        const { findCancelled } = this.#definition;
        const isCancel = findCancelled !== undefined && isCancelMessage(run.msg);
        const files = isCancel || run.lease || run.part ? undefined : await this.#definition.findParts?.(input);
        if (files && !run.controller.signal.aborted) return await this.#handleParts(run, files, send, done);
        result = { outcome: await (isCancel ? this.#cancel(run, input, findCancelled) : this.#definition.run(input)) };
      } catch (error) {
        result = { error };
      }
      if (run.lease && !this.#waits.gate.isOpen) await this.#waits.gate.whenOpen(run.controller.signal);
      run.activity.drop();
      if (!this.#isClosing) this.#finish(run, result, send, done);
    } catch (error) {
      // A messaging hook or a synchronous node after a Catch node may throw in `send` or `done`.
      this.#node.error(error);
    } finally {
      this.#running.delete(run);
    }
  }

  // Each part is a message in progress of its own, whose error goes to the Catch nodes. The input ends after all of them.
  async #handleParts(run: ActiveInput, files: readonly FormFile[], send: Send, done: Done): Promise<void> {
    run.activity.drop();
    this.#running.delete(run);
    const runs = createPartMessages(this.#RED, run.msg, files).map(({ msg, part }) =>
      this.#begin(msg, part, send, (error) => {
        if (error) this.#node.error(error, msg);
      }),
    );
    await Promise.all(runs.map(({ completion }) => completion));
    if (!this.#isClosing) done();
  }

  #finish(run: ActiveInput, result: RunResult, send: Send, done: Done): void {
    if (run.controller.signal.aborted) {
      done();
      return;
    }
    if (run.lease) this.#waits.send(run.lease, 'error' in result, () => this.#send(run, result, send, done));
    else this.#send(run, result, send, done);
  }

  #send(run: ActiveInput, result: RunResult, send: Send, done: Done): void {
    const { isForwarding } = this.#definition;
    if (isForwarding) run.forward();
    if ('outcome' in result) {
      if (!result.outcome.isSkipped) run.activity.succeed(result.outcome);
      if (!result.outcome.isConsumed && !isForwarding) send(toOutput(run.msg, result.outcome.output));
      done();
    } else {
      this.#fail(run, result.error, done);
    }
  }

  #fail({ msg, activity, lease }: ActiveInput, thrown: unknown, done: Done): void {
    const connection = this.#findConnection(lease?.wait);
    const error = toFlowError(
      thrown,
      describedFilename(msg),
      (message) => connection?.adaptMessage(message) ?? message,
    );
    const isConfigured = error.code !== 'NOT_CONFIGURED';
    const kind = Object(thrown).isCancelled === true ? 'cancelled' : error.code;
    const text = isConfigured
      ? failureText(this.#RED, kind, lease?.wait.operation || undefined)
      : this.#text('notConfigured');
    activity.fail(text);
    const { statusCode } = Object(thrown);
    if (typeof statusCode === 'number') msg.statusCode = statusCode;
    else delete msg.statusCode;
    done(error);
  }

  /** Cancels the operation that a message names, or all messages in progress. Their own inputs end with an error. */
  async #cancel(
    { msg, controller: { signal } }: ActiveInput,
    input: NodeInput<SettingsOf<F>>,
    findCancelled: NonNullable<FlowNodeDefinition<F>['findCancelled']>,
  ): Promise<Outcome> {
    const operationId = readCancelId(msg) ?? (await findCancelled(input));
    const findConnection = (wait?: PendingWait) => this.#findConnection(wait);
    const count = await cancelRuns([...this.#running], operationId, findConnection, signal);
    return { text: this.#text('cancelled', { count: String(count) }), isConsumed: true };
  }

  #createInput(run: ActiveInput): NodeInput<SettingsOf<F>> {
    const { msg, activity } = run;
    const { signal } = run.controller;
    const pendingWait = run.lease?.wait.transfer ? undefined : run.lease?.wait;
    const connection = this.#findConnection(pendingWait);
    if (!connection)
      throw createNodeError('NOT_CONFIGURED', "No service selected. Choose one in the node's properties.");
    if (connection.problem) throw createNodeError('NOT_CONFIGURED', connection.problem);
    return {
      RED: this.#RED,
      get msg() {
        return run.msg;
      },
      settings: this.#settings,
      connection,
      signal,
      get cancellation() {
        run.cancellation ??= new AbortController();
        return run.cancellation.signal;
      },
      activity,
      pendingWait,
      get transfer() {
        return run.lease?.wait.transfer;
      },
      part: run.part ?? run.lease?.wait.transfer?.part,
      evaluate: ({ value, type }) => evaluateTypedInput(this.#RED, this.#node, msg, value, type),
      text: this.#text,
      forward: () => run.forward(),
      trackWait: (wait) => {
        wait.service ??= pendingWait?.service ?? this.#service;
        // A message that was discarded in the meantime must not be registered again.
        if (!signal.aborted) run.lease = this.#waits.track(wait, run.lease);
      },
      trackTransfer: (kind) => this.#trackTransfer(run, kind),
    };
  }

  #trackTransfer(run: ActiveInput, kind: string): PendingTransfer {
    if (run.lease?.wait.transfer) return run.lease.wait.transfer;
    const wait = createTransferWait(kind, run);
    // A message that waited for an operation continues with that wait.
    if (!run.lease && !run.controller.signal.aborted) run.lease = this.#waits.track(wait, undefined);
    return wait.transfer;
  }

  // A pending wait belongs to the service that runs the operation, even if the node now uses another one.
  #findConnection(wait?: PendingWait): Connection | undefined {
    return findConnection(this.#RED, wait?.service) ?? this.#connection;
  }

  #reset(done: Done): void {
    const count = String(this.#running.size);
    this.#waits.drop();
    for (const { activity } of this.#running) activity.drop();
    this.#abort('The message was discarded by msg.reset.');
    this.#status.begin().succeed({ text: this.#text('dropped', { count }) });
    done();
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    this.#definition.close?.();
    this.#waits.close();
    this.#warnOfDiscarded();
    this.#abort('The node is closing.');
    const timeout = new AbortController();
    const completion = Promise.allSettled([...this.#running].map((run) => run.completion));
    await Promise.race([completion, delay(findCloseTimeout(this.#RED), timeout.signal)]);
    timeout.abort();
  }

  #warnOfDiscarded(): void {
    const names = this.#definition.isForwarding ? [] : listDiscarded([...this.#running]);
    const text = 'Discarded by a deploy or stop, before their operation had started';
    if (names.length > 0) this.#node.warn(`${text}: ${names.join(', ')}`);
  }

  #abort(reason: string): void {
    const error = createNodeError('ABORTED', reason);
    for (const { controller } of [...this.#running]) controller.abort(error);
  }

  #showNotice(): void {
    const notice = this.#connection?.notice;
    this.#status.notice(notice && this.#text(notice));
  }
}
