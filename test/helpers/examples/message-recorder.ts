import path from 'node:path';
import { pathToFileURL } from 'node:url';

// biome-ignore lint/suspicious/noExplicitAny: a message may hold anything, and a trial that reads it wrong fails
export type Message = Record<string, any>;

/** As which node the observer tells of a start. */
const START = 'flows:started';

/** How long an example may take for one step. None needs a tenth of it. */
const STEP_TIMEOUT_MS = 60_000;

/** The messages that came to the nodes of a Node-RED which `OBSERVER` was loaded into. */
export class MessageRecorder {
  readonly #queues = new Map<string, Message[]>();
  readonly #waiting = new Map<string, (msg: Message) => void>();

  /** Takes what the observer sends. */
  readonly record = (message: unknown): void => {
    const { nodeId, msg }: { nodeId?: unknown; msg?: Message } = Object(message);
    if (typeof nodeId !== 'string' || msg === undefined) return;
    const take = this.#waiting.get(nodeId);
    if (take) take(msg);
    else this.#queues.set(nodeId, [...(this.#queues.get(nodeId) ?? []), msg]);
  };

  /** Forgets starts so far; answers when the flows of the next deploy have started. */
  nextStart(): Promise<unknown> {
    this.#queues.delete(START);
    return this.next(START);
  }

  /** The next message that comes, or came, to the node. */
  next(nodeId: string): Promise<Message> {
    const here = this.#queues.get(nodeId)?.shift();
    if (here) return Promise.resolve(here);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(nodeId);
        reject(new Error(`no message came to the node ${nodeId}`));
      }, STEP_TIMEOUT_MS);
      this.#waiting.set(nodeId, (msg) => {
        clearTimeout(timer);
        this.#waiting.delete(nodeId);
        resolve(msg);
      });
    });
  }
}

/** The module that has to be loaded into Node-RED. */
export const OBSERVER = pathToFileURL(path.resolve('test/helpers/examples/observer.mjs')).href;
