import http, { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Axios } from 'axios';
import type { ClientLimits } from '../client-limits.js';
import type { ClientProxy, ClientTls, ConnectionOptions } from '../client-options.js';
import { abortedError } from '../clock.js';
import { raceAbort } from '../combine-signals.js';
import { AgentPool, type ConnectionLane } from './agent-pool.js';
import { AttemptFailure } from './attempt-failure.js';
import { ContinueGate, ContinueSupport } from './continue-gate.js';
import { RequestBody } from './request-body.js';
import { RequestTimeouts, type TimeoutOptions } from './request-timeouts.js';
import { toConnectionFailure } from './to-connection-failure.js';

/** One request. `headers` must give the exact Content-Length of a body. */
export interface TransportRequest {
  method: 'GET' | 'POST';
  url: URL;
  lane: ConnectionLane;
  headers: Record<string, string>;
  body?: Buffer | RequestBody;
  /** Send the body only once the service asks for it, where the service can do that. */
  expectContinue?: boolean;
  times: TimeoutOptions;
  signal: AbortSignal;
}

/** The head of a reply, and its body as it comes in: nothing is decompressed or limited. */
export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: IncomingMessage;
}

/**
 * Sends requests with axios and watches over them. Follows no redirect, takes no proxy from the environment, and throws
 * `AttemptFailure` or `ABORTED` only: the errors of axios hold headers and bodies, so none of them leaves this class.
 */
export class Transport {
  readonly #routes: AgentPool;
  readonly #connected = new WeakSet<Socket>();
  readonly #continueSupport = new ContinueSupport();
  readonly #limits: ClientLimits;
  readonly #userAgent: string;
  // Not the shared instance: what others set as its defaults or interceptors must not touch our requests.
  readonly #axios = new Axios({});

  constructor(options: { limits: ClientLimits; tls?: ClientTls; proxy?: ClientProxy; userAgent?: string }) {
    this.#limits = options.limits;
    this.#routes = new AgentPool(options.limits, options.tls, options.proxy);
    this.#userAgent = options.userAgent ?? 'model-processing-client';
  }

  /** Sends a request and hands the reply to `use`. When `use` is through, the rest of the reply is dropped. */
  async exchange<T>(request: TransportRequest, use: (reply: Reply) => Promise<T>): Promise<T> {
    if (request.signal.aborted) throw abortedError();
    const watch = new RequestTimeouts(request.times, this.#connected);
    const stop = () => watch.fail(new AttemptFailure('final', 'ABORTED', 'aborted'));
    request.signal.addEventListener('abort', stop, { once: true });
    try {
      // A request that waits for a free connection is told of its end only when it gets one.
      const reply = await raceAbort(this.#send(request, watch), request.signal, abortedError);
      if (reply.status === 417) throw this.#expectationFailure();
      return await use(reply);
    } catch (error) {
      if (request.signal.aborted) throw abortedError();
      throw watch.failure ?? toConnectionFailure(error, watch, request.url);
    } finally {
      request.signal.removeEventListener('abort', stop);
      watch.end();
    }
  }

  /** Ends every connection. */
  close(): void {
    this.#routes.close();
  }

  async #send(request: TransportRequest, watch: RequestTimeouts): Promise<Reply> {
    const body = request.expectContinue && this.#continueSupport.isExpected ? toRequestBody(request.body) : undefined;
    const start = (options: https.RequestOptions, onReply: (reply: IncomingMessage) => void) => {
      const sent = (options.protocol === 'https:' ? https : http).request(options, onReply);
      watch.attach(sent);
      if (body) this.#holdBack(body, sent, watch);
      return sent;
    };
    const response = await this.#axios.request<unknown>({
      ...this.#routes.to(request.url, request.lane),
      adapter: 'http',
      method: request.method,
      url: request.url.href,
      headers: {
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'User-Agent': this.#userAgent,
        ...request.headers,
        ...(body && { Expect: '100-continue' }),
      },
      data: body ?? request.body,
      responseType: 'stream',
      decompress: false,
      maxRedirects: 0,
      maxBodyLength: -1,
      maxContentLength: -1,
      timeout: 0,
      validateStatus: () => true,
      transport: { request: start },
    });
    const content = response.data;
    if (!(content instanceof IncomingMessage))
      throw new AttemptFailure('garbled', 'BAD_REPLY', 'the reply has no body');
    return { status: response.status, headers: content.headers, body: content };
  }

  #holdBack(body: RequestBody, sent: http.ClientRequest, watch: RequestTimeouts): void {
    const { connectTimeoutMs } = this.#limits;
    const onTimeout = () => {
      watch.fail(
        new AttemptFailure('unsent', 'TIMEOUT', `the request was not accepted within ${connectTimeoutMs / 1000} s`),
      );
    };
    watch.gate = new ContinueGate(sent, this.#continueSupport, connectTimeoutMs, onTimeout);
    body.holdUntil(watch.gate.opened);
  }

  /** The next attempt goes without the expectation (RFC 9110, section 15.5.18). */
  #expectationFailure(): AttemptFailure {
    this.#continueSupport.record('unsupported');
    return new AttemptFailure('unsent', 'REFUSED', 'the service answered 417', { statusCode: 417 });
  }
}

function toRequestBody(body: Buffer | RequestBody | undefined): RequestBody | undefined {
  return Buffer.isBuffer(body) ? new RequestBody([body]) : body;
}

/** A transport of these options. */
export function createTransport(options: ConnectionOptions, limits: ClientLimits): Transport {
  const { tls, proxy, userAgent } = options;
  return new Transport({ limits, ...(tls && { tls }), ...(proxy && { proxy }), ...(userAgent && { userAgent }) });
}
