import type { NodeAPI } from 'node-red';
import type { CallbackReceiver } from './callback-receiver.js';

/** Path of the callbacks, below `httpNodeRoot`. */
export const CALLBACK_PATH = '/model-processing/callback/';

/** Maximum body size of a callback. The body is discarded. */
const MAX_BODY_BYTES = 16 << 10;

type Handler = Parameters<NodeAPI['httpNode']['get']>[1];
type Request = Parameters<Handler>[0];
type Reply = Parameters<Handler>[1];

/**
 * Registers the callback route on the HTTP server of Node-RED's nodes. Accepts POST, PUT and GET, and replies 204, or
 * 410 if the URL was withdrawn. The route stays as long as the server, so that services get a 410 reply for the URLs of
 * deleted flows, and stop sending.
 */
export function registerCallbackRoute(httpNode: NodeAPI['httpNode'], receiver: CallbackReceiver): void {
  const onRequest = (request: Request, reply: Reply) => handleRequest(receiver, request, reply);
  httpNode.route(`${CALLBACK_PATH}:token`).post(onRequest).put(onRequest).get(onRequest);
}

function handleRequest(receiver: CallbackReceiver, request: Request, reply: Reply): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) request.socket.destroySoon();
  });
  const { token } = request.params;
  const isKnown = typeof token === 'string' && receiver.receive(token);
  reply.status(isKnown ? 204 : 410).end();
}
