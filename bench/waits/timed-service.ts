import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An operation of the service. `completedAt` is in ms of `Date.now()`, infinite while it is held. */
export interface TimedOperation {
  completedAt: number;
  polls: number;
}

/** Options of a `TimedService`. */
export interface TimedServiceOptions {
  /** The duration of the next operation, in ms. */
  nextDurationMs: () => number;
  /** Whether the callback of the next operation is lost. */
  isCallbackLost: () => boolean;
}

/** A stub service whose operations only take time, on a real socket and with callbacks. */
export class TimedService {
  readonly operations = new Map<string, TimedOperation>();
  readonly #options: TimedServiceOptions;
  readonly #server: http.Server;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** The largest number of concurrent connections. */
  maxSockets = 0;
  pollCount = 0;
  #sockets = 0;

  constructor(options: TimedServiceOptions) {
    this.#options = options;
    this.#server = http.createServer(
      (request, reply) => void this.#handle(request, reply).catch(() => reply.destroy()),
    );
    this.#server.on('connection', (socket) => {
      this.#sockets += 1;
      this.maxSockets = Math.max(this.maxSockets, this.#sockets);
      socket.once('close', () => {
        this.#sockets -= 1;
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Adds a running operation that completes after this time. Returns its id. */
  add(durationMs: number): string {
    const operationId = randomUUID();
    this.operations.set(operationId, { completedAt: Date.now() + durationMs, polls: 0 });
    return operationId;
  }

  async #handle(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [, id = ''] = /^\/web-api\/operation\/([^/]+)\//.exec(request.url ?? '') ?? [];
    if (/^\/token$/i.test(request.url ?? '')) send(reply, TOKEN);
    else if (request.method === 'POST') send(reply, { operationId: this.#start(JSON.parse(body)) });
    else if (request.url?.endsWith('/status')) send(reply, this.#status(id));
    else send(reply, { operationId: id, resultId: id });
  }

  #start({ callbackUrl }: { callbackUrl?: string }): string {
    const durationMs = this.#options.nextDurationMs();
    const operationId = this.add(durationMs);
    const isLost = this.#options.isCallbackLost();
    if (callbackUrl === undefined || isLost) return operationId;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const call = http.request(callbackUrl, { method: 'POST' }, (answer) => answer.resume());
      call.on('error', () => undefined); // Node-RED has stopped
      call.end(JSON.stringify({ operationId, isSuccessful: 'true' }));
    }, durationMs);
    this.#timers.add(timer);
    return operationId;
  }

  #status(operationId: string): object {
    const operation = this.operations.get(operationId);
    this.pollCount += 1;
    if (operation) operation.polls += 1;
    const isCompleted = (operation?.completedAt ?? 0) <= Date.now();
    return { operationId, isCompleted, isSuccessful: isCompleted };
  }
}

const TOKEN = { access_token: 'token', token_type: 'bearer', expires_in: 86_400, refresh_token: 'refresh' };

function send(reply: ServerResponse, body: object): void {
  reply.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
