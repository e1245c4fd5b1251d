import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { handleManagement } from './fake-management.js';
import { type Fault, send, sendError } from './fake-replies.js';
import { FakeTokenEndpoint } from './fake-token-endpoint.js';
import { createMinimalResult } from './minimal-results.js';

/**
 * A recorded request. `at`: ms of `Date.now()`; `body`: at most the first 64 KiB; `bodyBytes`: the size of the whole
 * body.
 */
export interface RecordedRequest {
  at: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  bodyBytes: number;
}

/** A file of the fake service, with the headers that name and identify it. */
interface FakeFile {
  bytes: Buffer;
  disposition?: string;
  etag?: string;
  /** The value of the header Repr-Digest. */
  digest?: string;
}

/** An operation of the fake service. It is completed after a number of polls. */
export interface FakeOperation {
  operation: string;
  /** The number of polls of its status until it is completed. */
  pollsLeft: number;
  isSuccessful: boolean;
  result: Record<string, unknown>;
  error?: { code: number; message: string };
  /** The report in the status record of the completed operation. */
  report?: unknown;
}

/** Of a larger request body, only the beginning is recorded. */
const MAX_RECORDED_BYTES = 1 << 16;

/**
 * Serves the API on a real socket, with files and operations in memory. Tests inject faults by method and path, and
 * read the recorded requests.
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
  readonly files = new Map<string, FakeFile>();
  readonly operations = new Map<string, FakeOperation>();
  /** The open connections. */
  readonly sockets = new Set<Socket>();
  readonly tokens = new FakeTokenEndpoint(this.account);
  /** The number of polls until operations that are added from now on are completed. */
  pollsNeeded = 1;
  /** The additions to the API that the service announces and has. Default: none, and no page `/formats`. */
  features: string[] | undefined;
  /** path and idempotency key → the reply to the first request with them */
  readonly keys = new Map<string, object>();
  /** Whether to ignore `Expect: 100-continue`, like a service that does not support it. */
  shouldIgnoreContinue = false;
  #continueFaults: { fault: (socket: Socket) => void; times: number }[] = [];
  #faults: { method: string; path: RegExp; fault: Fault; times: number }[] = [];
  #server: Server | undefined;

  /** Creates a service that listens on 127.0.0.1. `port`: default 0, any free port. */
  static async start(port = 0): Promise<FakeService> {
    const service = new FakeService();
    await service.listen(port);
    return service;
  }

  /** Listens on 127.0.0.1, also again after `stop`. `port`: default 0, any free port. */
  async listen(port = 0): Promise<void> {
    const handle = (request: IncomingMessage, reply: ServerResponse) => {
      this.#handle(request, reply).catch(() => reply.destroy());
    };
    const server = createServer(handle);
    server.on('checkContinue', (request: IncomingMessage, reply: ServerResponse) => {
      const continueFault = this.#continueFaults.find(({ times }) => times > 0);
      if (continueFault) {
        continueFault.times -= 1;
        continueFault.fault(request.socket);
        return;
      }
      if (!this.shouldIgnoreContinue) reply.writeContinue();
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
    if (typeof address !== 'object' || address === null) throw new Error('The fake service is not listening.');
    return address.port;
  }

  /** Closes the server and all connections. Files, operations and tokens are kept. */
  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Applies a fault to the next `times` requests with this method and path. */
  fault(method: string, path: RegExp, fault: Fault, times = 1): void {
    this.#faults.push({ method, path, fault, times });
  }

  /** Applies a fault to the next `times` requests that wait for `100 Continue`. They are not recorded. */
  refuseContinue(fault: (socket: Socket) => void, times: number): void {
    this.#continueFaults.push({ fault, times });
  }

  /** Removes all faults, except those of `refuseContinue`. */
  clearFaults(): void {
    this.#faults = [];
  }

  /** Counts the recorded requests with this method and path. */
  count(method: string, path: RegExp): number {
    return this.requests.filter((request) => request.method === method && path.test(request.path)).length;
  }

  /** Adds a file. Returns its id. */
  addFile(bytes: Buffer, more: Omit<FakeFile, 'bytes'> = {}): string {
    const fileId = randomUUID();
    this.files.set(fileId, { bytes, ...more });
    return fileId;
  }

  /** Adds an operation. Returns its id. */
  addOperation(operation: string, more: Partial<FakeOperation> = {}): string {
    const operationId = randomUUID();
    const result = createMinimalResult(operation, randomUUID, (content) => this.addFile(Buffer.from(content)));
    this.operations.set(operationId, {
      operation,
      pollsLeft: this.pollsNeeded,
      isSuccessful: true,
      result: { operationId, ...result },
      ...more,
    });
    return operationId;
  }

  /** Revokes all access tokens. */
  revokeTokens(): void {
    this.tokens.revokeAll();
  }

  async #handle(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const recorded: RecordedRequest = { at: Date.now(), method, path: url, headers, body: '', bodyBytes: 0 };
    this.requests.push(recorded);
    const fault = this.#faults.find((each) => each.method === method && each.path.test(url) && each.times > 0);
    if (fault) {
      fault.times -= 1;
      if ((await fault.fault(request, reply)) !== false) return;
    }
    for await (const chunk of request) {
      // No encoding is set on requests, so their chunks are Buffers.
      const bytes = chunk as Buffer;
      if (recorded.body.length < MAX_RECORDED_BYTES)
        recorded.body += bytes.toString('latin1').slice(0, MAX_RECORDED_BYTES);
      recorded.bodyBytes += bytes.length;
    }
    if (/^\/token$/i.test(url)) this.tokens.grant(recorded, reply);
    else if (!this.tokens.accepts(headers.authorization)) this.#unauthorized(reply);
    else this.#api(recorded, reply);
  }

  #unauthorized(reply: ServerResponse): void {
    const message = 'Authorization has been denied for this request.';
    send(reply, 401, { message, errors: [{ code: 40100, message }] }, { 'WWW-Authenticate': 'Bearer' });
  }

  #api(request: RecordedRequest, reply: ServerResponse): void {
    const parts = request.path.replace(/^\/web-api\/operation\//, '').split('/');
    const [first = '', second = '', third = ''] = parts;
    if (handleManagement(this, request, reply)) return;
    if (request.method === 'POST') send(reply, 200, this.#createOnce(request, first));
    else if (first === 'file') sendFile(this.files.get(second), request, reply);
    else if (second === 'status') this.#status(first, reply);
    else if (third === 'result') this.#result(first, second, reply);
    else notFound(reply);
  }

  /** Uploads a file or starts an operation, or returns the reply to the first request with the same key. */
  #createOnce({ path, headers }: RecordedRequest, name: string): object {
    const key = this.features?.includes('idempotency-key') ? headers['idempotency-key'] : undefined;
    const first = key === undefined ? undefined : this.keys.get(`${path} ${key}`);
    const created = first ?? (name === 'file' ? this.#upload() : { operationId: this.addOperation(name) });
    if (key !== undefined) this.keys.set(`${path} ${key}`, created);
    return created;
  }

  #upload(): object {
    const fileId = this.addFile(Buffer.from('uploaded'));
    const fileUrl = `${this.account.baseUrl}/web-api/operation/file/${fileId}`;
    const sha256 = createHash('sha256').update('uploaded').digest('hex');
    return { fileId, creationDate: '2024-05-06T07:08:09.1230000+00:00', fileUrl, sha256 };
  }

  #status(operationId: string, reply: ServerResponse): void {
    const operation = this.operations.get(operationId);
    if (!operation) {
      notFound(reply);
      return;
    }
    operation.pollsLeft -= 1;
    const isCompleted = operation.pollsLeft <= 0;
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
    else if (operation.pollsLeft > 0) sendError(reply, 409, 'The operation is not completed.');
    else send(reply, 200, operation.result);
  }
}

/** Sends a file, or the range of it that the request asks for. */
function sendFile(file: FakeFile | undefined, request: RecordedRequest, reply: ServerResponse): void {
  if (!file) {
    notFound(reply);
    return;
  }
  const headers: Record<string, string> = { 'Content-Type': 'application/octet-stream' };
  if (file.disposition) headers['Content-Disposition'] = file.disposition;
  if (file.etag) headers.ETag = file.etag;
  if (file.digest) headers['Repr-Digest'] = file.digest;
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const isRange = from > 0 && request.headers['if-range'] === file.etag;
  const bytes = isRange ? file.bytes.subarray(from) : file.bytes;
  if (isRange) headers['Content-Range'] = `bytes ${from}-${file.bytes.length - 1}/${file.bytes.length}`;
  headers['Content-Length'] = String(bytes.length);
  reply.writeHead(isRange ? 206 : 200, headers).end(bytes);
}

function notFound(reply: ServerResponse): void {
  sendError(reply, 404, 'There is no such thing.');
}
