import type { NodeAPI } from 'node-red';
import { CallbackReceiver } from './callback-receiver.js';

/** Where callbacks arrive, below `httpNodeRoot`. */
export const CALLBACK_PATH = '/model-processing/callback/';

/** What a callback may bring along; nothing of it is read. */
const MAX_BODY_BYTES = 16 << 10;

type HttpNode = NodeAPI['httpNode'];
type Request = Parameters<Parameters<HttpNode['get']>[1]>[0];
type Reply = Parameters<Parameters<HttpNode['get']>[1]>[1];

/** The receiver's place on the HTTP server of Node-RED's nodes: takes POST, PUT and GET, and answers 204 to everything. */
export class CallbackRoute {
  readonly receiver = new CallbackReceiver();
  readonly #httpNode: HttpNode;
  readonly #route: object;

  constructor(httpNode: HttpNode) {
    this.#httpNode = httpNode;
    const onRequest = (request: Request, reply: Reply) => this.#onRequest(request, reply);
    this.#route = httpNode.route(`${CALLBACK_PATH}:token`).post(onRequest).put(onRequest).get(onRequest);
  }

  /** Takes the route away. */
  close(): void {
    // Express has no call for it; Node-RED's own nodes do the same.
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
    if (typeof token === 'string') this.receiver.arrive(token);
  }
}
