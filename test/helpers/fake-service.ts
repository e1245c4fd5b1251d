import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createMinimalResult } from './minimal-results.js';

/** A request as the stand-in saw it. `bodyBytes` counts; `body` holds at most the first 64 KiB; `at` in ms of `Date.now()`. */
export interface RecordedRequest {
  at: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  bodyBytes: number;
}

/** Answers in place of the stand-in. When it gives `false`, the stand-in answers all the same. */
// biome-ignore lint/suspicious/noConfusingVoidType: most faults end without a value, and that is what they say.
export type Fault = (request: IncomingMessage, reply: ServerResponse) => void | false | Promise<void | false>;

export interface FakeOperation {
  operation: string;
  /** Looks at its status until it is completed. */
  looksLeft: number;
  isSuccessful: boolean;
  result: Record<string, unknown>;
  error?: { code: number; message: string };
  /** What the status record says of it once it is completed. */
  report?: unknown;
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const HEAD_BYTES = 1 << 16;

/**
 * Speaks the API as the two pages on it describe, on a real socket, with files and operations in memory. A test puts faults in
 * its way, by path, and reads afterwards what was asked.
 */
export class FakeService {
  readonly account = {
    baseUrl: '',
    clientId: 'the-client',
    clientSecret: 'secret-of-the-client',
    username: 'maker@example.test',
    password: 'pass word & sign',
  };
  readonly requests: RecordedRequest[] = [];
  readonly files = new Map<string, { bytes: Buffer; disposition?: string; etag?: string }>();
  readonly operations = new Map<string, FakeOperation>();
  readonly sockets = new Set<Socket>();
  /** Tokens that open the API now. */
  readonly tokens = new Set<string>();
  readonly spentRefreshTokens: string[] = [];
  expiresIn: unknown = 900;
  /** Looks that the next operation needs before it is completed. */
  looksNeeded = 1;
  /** Takes bodies without asking for them, as a service that does not know `Expect: 100-continue`. */
  ignoresContinue = false;
  #continueFaults: { fault: (socket: Socket) => void; times: number }[] = [];
  #refreshTokens = new Set<string>();
  #faults: { method: string; path: RegExp; fault: Fault; times: number }[] = [];
  #server: Server | undefined;
  #count = 0;

  /** Listens on 127.0.0.1, on a free port or on the given one. */
  static async start(port = 0): Promise<FakeService> {
    const service = new FakeService();
    await service.listen(port);
    return service;
  }

  async listen(port = 0): Promise<void> {
    const handle = (request: IncomingMessage, reply: ServerResponse) => {
      this.#handle(request, reply).catch(() => reply.destroy());
    };
    const server = createServer(handle);
    server.on('checkContinue', (request: IncomingMessage, reply: ServerResponse) => {
      const refused = this.#continueFaults.find(({ times }) => times > 0);
      if (refused) {
        refused.times -= 1;
        refused.fault(request.socket);
        return;
      }
      if (!this.ignoresContinue) reply.writeContinue();
      handle(request, reply);
    });
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    this.#server = server;
    this.account.baseUrl = `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    const address = this.#server?.address();
    if (typeof address !== 'object' || address === null) throw new Error('The stand-in does not listen.');
    return address.port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** The next `times` requests of this kind meet the fault. */
  fault(method: string, path: RegExp, fault: Fault, times = 1): void {
    this.#faults.push({ method, path, fault, times });
  }

  /** The next `times` requests that wait for `100 Continue` get this instead, and are not counted as seen. */
  refuseContinue(fault: (socket: Socket) => void, times: number): void {
    this.#continueFaults.push({ fault, times });
  }

  /** All goes well again. */
  clearFaults(): void {
    this.#faults = [];
  }

  /** How many requests of this kind came in. */
  count(method: string, path: RegExp): number {
    return this.requests.filter((request) => request.method === method && path.test(request.path)).length;
  }

  /** Puts a file there to download. */
  addFile(bytes: Buffer, more: { disposition?: string; etag?: string } = {}): string {
    const fileId = randomUUID();
    this.files.set(fileId, { bytes, ...more });
    return fileId;
  }

  /** Puts an operation there to wait for. */
  addOperation(operation: string, more: Partial<FakeOperation> = {}): string {
    const operationId = randomUUID();
    const result = createMinimalResult(operation, randomUUID, (content) => this.addFile(Buffer.from(content)));
    this.operations.set(operationId, {
      operation,
      looksLeft: this.looksNeeded,
      isSuccessful: true,
      result: { operationId, ...result },
      ...more,
    });
    return operationId;
  }

  /** From now on every token is answered with 401. */
  revokeTokens(): void {
    this.tokens.clear();
  }

  async #handle(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const requests: RecordedRequest = { at: Date.now(), method, path: url, headers, body: '', bodyBytes: 0 };
    this.requests.push(requests);
    const fault = this.#faults.find((each) => each.method === method && each.path.test(url) && each.times > 0);
    if (fault) {
      fault.times -= 1;
      if ((await fault.fault(request, reply)) !== false) return;
    }
    for await (const chunk of request) {
      // No encoding is set on requests, so their chunks are Buffers.
      const bytes = chunk as Buffer;
      if (requests.body.length < HEAD_BYTES) requests.body += bytes.toString('latin1').slice(0, HEAD_BYTES);
      requests.bodyBytes += bytes.length;
    }
    if (/^\/token$/i.test(url)) this.#token(requests, reply);
    else if (!this.tokens.has((headers.authorization ?? '').replace('Bearer ', ''))) this.#unauthorized(reply);
    else this.#api(requests, reply);
  }

  #token(requests: RecordedRequest, reply: ServerResponse): void {
    const { clientId, clientSecret, username, password } = this.account;
    const form = new URLSearchParams(requests.body);
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    if (requests.headers.authorization !== basic) {
      send(reply, 401, { error: 'invalid_client' }, { 'WWW-Authenticate': 'Basic' });
      return;
    }
    const refreshToken = form.get('refresh_token') ?? '';
    if (refreshToken) this.spentRefreshTokens.push(refreshToken);
    const isRefresh = form.get('grant_type') === 'refresh_token' && this.#refreshTokens.delete(refreshToken);
    const isPassword =
      form.get('grant_type') === 'password' && form.get('username') === username && form.get('password') === password;
    if (!isRefresh && !isPassword) {
      send(reply, 400, { error: 'invalid_grant', error_description: 'The user name or password is incorrect.' });
      return;
    }
    this.#count += 1;
    const accessToken = `access-token-${this.#count}`;
    this.tokens.add(accessToken);
    this.#refreshTokens.add(`refresh-token-${this.#count}`);
    send(reply, 200, {
      access_token: accessToken,
      token_type: 'bearer',
      expires_in: this.expiresIn,
      refresh_token: `refresh-token-${this.#count}`,
      userName: 'opaque',
      'as:client_id': clientId,
      '.issued': 'Sat, 01 Jan 2000 00:00:00 GMT',
      '.expires': 'Sat, 01 Jan 2000 00:15:00 GMT',
    });
  }

  #unauthorized(reply: ServerResponse): void {
    const message = 'Authorization has been denied for this request.';
    send(reply, 401, { message, errors: [{ code: 40100, message }] }, { 'WWW-Authenticate': 'Bearer' });
  }

  #api(requests: RecordedRequest, reply: ServerResponse): void {
    const parts = requests.path.replace(/^\/web-api\/operation\//, '').split('/');
    const [first = '', second = '', third = ''] = parts;
    if (requests.method === 'POST' && first === 'file') this.#upload(reply);
    else if (requests.method === 'POST') send(reply, 200, { operationId: this.addOperation(first) });
    else if (first === 'file') this.#download(requests, second, reply);
    else if (second === 'status') this.#status(first, reply);
    else if (third === 'result') this.#result(first, second, reply);
    else notFound(reply);
  }

  #upload(reply: ServerResponse): void {
    const fileId = this.addFile(Buffer.from('uploaded'));
    const fileUrl = `${this.account.baseUrl}/web-api/operation/file/${fileId}`;
    send(reply, 200, { fileId, creationDate: '2024-05-06T07:08:09.1230000+00:00', fileUrl });
  }

  #status(operationId: string, reply: ServerResponse): void {
    const operation = this.operations.get(operationId);
    if (!operation) {
      notFound(reply);
      return;
    }
    operation.looksLeft -= 1;
    const isCompleted = operation.looksLeft <= 0;
    const { isSuccessful, error, report } = operation;
    send(reply, 200, {
      operationId,
      isCompleted,
      isSuccessful: isCompleted && isSuccessful,
      ...(isCompleted && { error, report }),
    });
  }

  #result(operationId: string, name: string, reply: ServerResponse): void {
    const operation = this.operations.get(operationId);
    if (operation?.operation !== name) notFound(reply);
    else if (operation.looksLeft > 0) problem(reply, 409, 'The operation is not completed.');
    else send(reply, 200, operation.result);
  }

  #download(requests: RecordedRequest, fileId: string, reply: ServerResponse): void {
    const file = this.files.get(fileId);
    if (!file) {
      notFound(reply);
      return;
    }
    const headers: Record<string, string> = { 'Content-Type': 'application/octet-stream' };
    if (file.disposition) headers['Content-Disposition'] = file.disposition;
    if (file.etag) headers.ETag = file.etag;
    const from = Number(/^bytes=(\d+)-$/.exec(requests.headers.range ?? '')?.[1] ?? 0);
    const isRange = from > 0 && requests.headers['if-range'] === file.etag;
    const bytes = isRange ? file.bytes.subarray(from) : file.bytes;
    if (isRange) headers['Content-Range'] = `bytes ${from}-${file.bytes.length - 1}/${file.bytes.length}`;
    headers['Content-Length'] = String(bytes.length);
    reply.writeHead(isRange ? 206 : 200, headers).end(bytes);
  }
}

/** The connection breaks off, with no byte of a reply. */
export const dropConnection: Fault = (_request, reply) => {
  reply.destroy();
};

/** Nothing comes, ever. */
export const neverReply: Fault = () => {};

/** A reply of the test's own. Text goes out as it stands, everything else as JSON. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Fault {
  return (_request, reply) => {
    if (typeof body === 'string') reply.writeHead(status, headers).end(body);
    else send(reply, status, body, headers);
  };
}

/** A refusal of the API with this message. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Fault {
  return answer(status, { errors: [{ code: status * 100, message }] }, headers);
}

/** A JSON reply. */
export function send(reply: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  reply.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
}

/** An error of the API. */
export function problem(
  reply: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  send(reply, status, { errors: [{ code: status * 100, message }] }, headers);
}

function notFound(reply: ServerResponse): void {
  problem(reply, 404, 'There is no such thing.');
}
