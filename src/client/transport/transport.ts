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

/** One request. `headers` must include the exact Content-Length of the body. */
export interface TransportRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: URL;
  lane: ConnectionLane;
  headers: Record<string, string>;
  body?: Buffer | RequestBody;
  /** Delay the body until the service asks for it, if the service supports `Expect: 100-continue`. */
  expectContinue?: boolean;
  times: TimeoutOptions;
  signal: AbortSignal;
}

/** Status and headers of a reply, and its body as a stream, neither decompressed nor limited in size. */
export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: IncomingMessage;
}

/**
 * Sends requests with axios and enforces their timeouts. Does not follow redirects and ignores proxies of the
 * environment. Errors of axios contain headers and bodies, so they do not leave this class.
 */
export class Transport {
  readonly #agents: AgentPool;
  readonly #connected = new WeakSet<Socket>();
  readonly #continueSupport = new ContinueSupport();
  readonly #limits: ClientLimits;
  readonly #userAgent: string;
  // Not the shared instance: defaults and interceptors of other packages must not affect these requests.
  readonly #axios = new Axios({});

  constructor(options: { limits: ClientLimits; tls?: ClientTls; proxy?: ClientProxy; userAgent?: string }) {
    this.#limits = options.limits;
    this.#agents = new AgentPool(options.limits, options.tls, options.proxy);
    this.#userAgent = options.userAgent ?? 'model-processing-client';
  }

  /**
   * Sends a request, passes the reply to `use` and returns its result. Discards the unread part of the reply when `use`
   * has finished. Throws `AttemptFailure`, `ABORTED`, and a `ClientError` or `TypeError` of `use` or of the body.
   */
  async exchange<T>(request: TransportRequest, use: (reply: Reply) => Promise<T>): Promise<T> {
    if (request.signal.aborted) throw abortedError();
    const timeouts = new RequestTimeouts(request.times, this.#connected);
    const stop = () => timeouts.fail(new AttemptFailure('final', 'ABORTED', 'aborted'));
    request.signal.addEventListener('abort', stop, { once: true });
    try {
      // A request that waits for a free socket learns of its abort only when it is assigned one.
      const reply = await raceAbort(this.#send(request, timeouts), request.signal, abortedError);
      if (reply.status === 417) throw this.#expectationFailure();
      return await use(reply);
    } catch (error) {
      if (request.signal.aborted) throw abortedError();
      throw timeouts.failure ?? toConnectionFailure(error, timeouts, request.url);
    } finally {
      request.signal.removeEventListener('abort', stop);
      timeouts.end();
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#agents.close();
  }

  async #send(request: TransportRequest, timeouts: RequestTimeouts): Promise<Reply> {
    const body = request.expectContinue && this.#continueSupport.isExpected ? toRequestBody(request.body) : undefined;
    const start = (options: https.RequestOptions, onReply: (reply: IncomingMessage) => void) => {
      const sent = (options.protocol === 'https:' ? https : http).request(options, onReply);
      timeouts.attach(sent);
      if (body) this.#delayBody(body, sent, timeouts);
      return sent;
    };
    const response = await this.#axios.request<unknown>({
      ...this.#agents.selectRoute(request.url, request.lane),
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

  #delayBody(body: RequestBody, sent: http.ClientRequest, timeouts: RequestTimeouts): void {
    const { connectTimeoutMs } = this.#limits;
    const onTimeout = () => {
      timeouts.fail(new AttemptFailure('unsent', 'TIMEOUT', `no 100 Continue within ${connectTimeoutMs / 1000} s`));
    };
    timeouts.gate = new ContinueGate(sent, this.#continueSupport, connectTimeoutMs, onTimeout);
    body.delayUntil(timeouts.gate.opened);
  }

  /** Returns the failure for a 417. The next attempt is sent without the expectation (RFC 9110, section 15.5.18). */
  #expectationFailure(): AttemptFailure {
    this.#continueSupport.record('unsupported');
    return new AttemptFailure('unsent', 'REFUSED', 'the service returned 417', { statusCode: 417 });
  }
}

function toRequestBody(body: Buffer | RequestBody | undefined): RequestBody | undefined {
  return Buffer.isBuffer(body) ? new RequestBody([body]) : body;
}

/** Creates a transport from the options of a client or a token source. */
export function createTransport(options: ConnectionOptions, limits: ClientLimits): Transport {
  const { tls, proxy, userAgent } = options;
  return new Transport({ limits, ...(tls && { tls }), ...(proxy && { proxy }), ...(userAgent && { userAgent }) });
}
