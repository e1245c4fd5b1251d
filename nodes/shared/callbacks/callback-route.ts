import type { NodeAPI } from 'node-red';
import { CallbackReceiver } from './callback-receiver.js';

/** Path of the callbacks, below `httpNodeRoot`. */
export const CALLBACK_PATH = '/model-processing/callback/';

/** Maximum body size of a callback. The body is discarded. */
const MAX_BODY_BYTES = 16 << 10;

type HttpNode = NodeAPI['httpNode'];
type Request = Parameters<Parameters<HttpNode['get']>[1]>[0];
type Reply = Parameters<Parameters<HttpNode['get']>[1]>[1];

/**
 * Registers the callback route on the HTTP server of Node-RED's nodes. Accepts POST, PUT and GET, and replies 204 to
 * every request.
 */
export class CallbackRoute {
  /** Receives the tokens of the requests. */
  readonly receiver = new CallbackReceiver();
  readonly #httpNode: HttpNode;
  readonly #route: object;

  constructor(httpNode: HttpNode) {
    this.#httpNode = httpNode;
    const onRequest = (request: Request, reply: Reply) => this.#onRequest(request, reply);
    this.#route = httpNode.route(`${CALLBACK_PATH}:token`).post(onRequest).put(onRequest).get(onRequest);
  }

  /** Removes the route. */
  close(): void {
    // Express has no function that removes a route. The core nodes of Node-RED change the stack in the same way.
    const stack: unknown = Object(this.#httpNode)._router?.stack;
    if (!Array.isArray(stack)) return;
    const index = stack.findIndex((layer) => Object(layer).route === this.#route);
    if (index >= 0) stack.splice(index, 1);
  }

  #onRequest(request: Request, reply: Reply): void {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) request.socket.destroySoon();
    });
    reply.status(204).end();
    const { token } = request.params;
    if (typeof token === 'string') this.receiver.receive(token);
  }
}
