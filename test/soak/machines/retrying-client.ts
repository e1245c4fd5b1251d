import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../../service/support/account.js';

const TOKEN_AGE_MS = 10 * 60_000;
const RETRY_DELAY_MS = 300;
// Longer than any fault: an idempotent request must succeed at last.
const DEADLINE_MS = 10 * 60_000;
const TRANSIENT = new Set([502, 503, 504]);

/** A client and a user of the service. */
export interface Account {
  username: string;
  password: string;
  clientId: string;
  clientSecret: string;
}

/** A request that may be sent several times. */
export interface RepeatableRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `/web-api/operation/`. */
  route: string;
  headers?: Record<string, string>;
  body?: () => BodyInit;
  timeoutMs?: number;
}

/** How requests of all users were answered. */
export interface RequestCounts {
  requests: number;
  lostConnections: number;
  timeouts: number;
  /** By status. */
  transient: Record<string, number>;
}

/** A reply, and how often the request was sent before, whose outcome is not known. */
export interface RepeatedReply extends Reply {
  bytes: Uint8Array;
  unknownOutcomes: number;
}

/** Calls the API as a client that repeats what failed because of a fault. */
export interface RetryingClient {
  /** Repeats a request until it is answered by another status than 502, 503 or 504. Throws after 10 min. */
  send(request: RepeatableRequest): Promise<RepeatedReply>;
}

/** Creates a client. `violations`: replies that no fault may cause. */
export function createRetryingClient(
  baseUrl: string,
  { username, password, clientId, clientSecret }: Account,
  counts: RequestCounts,
  violations: string[],
): RetryingClient {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  let token = '';
  let tokenTime = Number.NEGATIVE_INFINITY;

  const attempt = async (
    url: string,
    init: RequestInit,
    timeoutMs: number,
  ): Promise<Omit<RepeatedReply, 'unknownOutcomes'> | undefined> => {
    counts.requests += 1;
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      const body = isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
      if (response.status === 503 && isJson && !response.headers.has('retry-after'))
        violations.push(`503 without Retry-After: ${JSON.stringify(body)}`);
      return { status: response.status, headers: response.headers, body, bytes };
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') counts.timeouts += 1;
      else if (error instanceof TypeError && /fetch failed|terminated/.test(error.message)) counts.lostConnections += 1;
      else throw error;
      return undefined;
    }
  };

  const repeat = async (url: string, createInit: () => RequestInit, timeoutMs: number): Promise<RepeatedReply> => {
    const deadline = performance.now() + DEADLINE_MS;
    for (let unknownOutcomes = 0; performance.now() < deadline; ) {
      const reply = await attempt(url, createInit(), timeoutMs);
      if (reply && !TRANSIENT.has(reply.status)) return { ...reply, unknownOutcomes };
      unknownOutcomes += 1;
      const code = reply?.body?.errors?.[0]?.code;
      if (reply) counts.transient[code ?? reply.status] = (counts.transient[code ?? reply.status] ?? 0) + 1;
      await sleep(RETRY_DELAY_MS);
    }
    throw new Error(`No reply within ${DEADLINE_MS} ms from ${url}`);
  };

  const renewToken = async (): Promise<void> => {
    const form = new URLSearchParams({ grant_type: 'password', username, password });
    const init = (): RequestInit => ({ method: 'POST', headers: { authorization }, body: form });
    const reply = await repeat(`${baseUrl}/Token`, init, 30_000);
    if (reply.status !== 200)
      throw new Error(`Unexpected reply to a login: ${reply.status} ${JSON.stringify(reply.body)}`);
    token = reply.body.access_token;
    tokenTime = performance.now();
  };

  let renewal: Promise<void> | undefined;
  return {
    async send({ method, route, headers = {}, body, timeoutMs = 20_000 }) {
      if (performance.now() > tokenTime + TOKEN_AGE_MS) {
        renewal ??= renewToken().finally(() => (renewal = undefined));
        await renewal;
      }
      const init = (): RequestInit => ({
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body && { body: body() }),
      });
      return repeat(`${baseUrl}/web-api/operation/${route}`, init, timeoutMs);
    },
  };
}
