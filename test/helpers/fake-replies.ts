import type { IncomingMessage, ServerResponse } from 'node:http';

/** Handles a request instead of the fake service. If it returns `false`, the service handles the request as usual. */
// biome-ignore lint/suspicious/noConfusingVoidType: most faults return nothing.
export type Fault = (request: IncomingMessage, reply: ServerResponse) => void | false | Promise<void | false>;

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** Closes the connection without a reply. */
export const dropConnection: Fault = (_request, reply) => {
  reply.destroy();
};

/** Never replies, and keeps the connection open. */
export const neverReply: Fault = () => {};

/** Creates a fault that sends this reply. A string is sent as it is, any other body as JSON. */
export function replyWith(status: number, body: unknown, headers: Record<string, string> = {}): Fault {
  return (_request, reply) => {
    if (typeof body === 'string') reply.writeHead(status, headers).end(body);
    else send(reply, status, body, headers);
  };
}

/** Creates a fault that sends an error reply of the API. */
export function replyWithError(status: number, message: string, headers: Record<string, string> = {}): Fault {
  return replyWith(status, { errors: [{ code: status * 100, message }] }, headers);
}

/** Sends a JSON reply. */
export function send(reply: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  reply.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
}

/** Sends an error reply of the API. */
export function sendError(
  reply: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  send(reply, status, { errors: [{ code: status * 100, message }] }, headers);
}
