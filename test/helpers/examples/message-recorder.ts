import path from 'node:path';
import { pathToFileURL } from 'node:url';

// biome-ignore lint/suspicious/noExplicitAny: a message can have any properties; a scenario that misreads it fails.
export type Message = Record<string, any>;

/** The node id with which the observer reports the start of the flows. */
const START = 'flows:started';

/** The timeout for one message. Examples take less than a tenth of it. */
const STEP_TIMEOUT_MS = 60_000;

/** Records the messages that the nodes of a Node-RED with the module `OBSERVER` receive. */
export class MessageRecorder {
  /** Node id → messages that no call of `next` has taken yet. */
  readonly #queues = new Map<string, Message[]>();
  /** Node id → the callback of the pending call of `next`. */
  readonly #waiting = new Map<string, (msg: Message) => void>();

  /** Records a message of the observer. */
  readonly record = (message: unknown): void => {
    const { nodeId, msg }: { nodeId?: unknown; msg?: Message } = Object(message);
    if (typeof nodeId !== 'string' || msg === undefined) return;
    const deliver = this.#waiting.get(nodeId);
    if (deliver) deliver(msg);
    else this.#queues.set(nodeId, [...(this.#queues.get(nodeId) ?? []), msg]);
  };

  /** Resolves after the next start of the flows. Ignores earlier starts. */
  nextStart(): Promise<unknown> {
    this.#queues.delete(START);
    return this.next(START);
  }

  /** Resolves with the next message of a node, which may have arrived already. Rejects after a timeout. */
  next(nodeId: string): Promise<Message> {
    const queued = this.#queues.get(nodeId)?.shift();
    if (queued) return Promise.resolve(queued);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(nodeId);
        reject(new Error(`Timed out after ${STEP_TIMEOUT_MS} ms: no message arrived at node ${nodeId}.`));
      }, STEP_TIMEOUT_MS);
      this.#waiting.set(nodeId, (msg) => {
        clearTimeout(timer);
        this.#waiting.delete(nodeId);
        resolve(msg);
      });
    });
  }
}

/** The URL of the module to preload into Node-RED. */
export const OBSERVER = pathToFileURL(path.resolve('test/helpers/examples/observer.mjs')).href;
