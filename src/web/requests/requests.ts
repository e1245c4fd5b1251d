import type { Problem } from '../../api/index.js';
import { texts } from '../texts/current.js';

/** A request that the service refused, or that did not reach it (`status` 0). */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  /** The integer code of the service; 0 if there is none. */
  readonly code: number;
  /** When the service asks to try again, in ms; 0 if it does not say. */
  readonly retryAfterMs: number;

  constructor(status: number, code: number, message: string, retryAfterMs = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether what was requested has expired or was deleted. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 410;
  }

  /** Whether the same request may succeed later: the service was not reached, is stopping or overloaded. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.status);
  }
}

/** 0: there was no reply. */
const TRANSIENT: ReadonlySet<number> = new Set([0, 408, 429, 502, 503, 504]);

let userId = '';
/** Counts the sessions of the page. */
let sessionCount = 0;
let onSessionEnded: () => void = () => undefined;

/** Sets the user whose session all further requests are for. A session of somebody else does not count for them. */
export function setRequestUser(id: string): void {
  userId = id;
  sessionCount += 1;
}

/** Returns the number of the session in which a request is sent. */
export function currentSession(): number {
  return sessionCount;
}

/** Sets what is called when a request shows that the session has ended. */
export function setSessionEndedListener(listener: () => void): void {
  onSessionEnded = listener;
}

/** The headers of all requests of the page. */
export function commonHeaders(): Record<string, string> {
  return userId === '' ? {} : { 'X-Session-User': userId };
}

/** Returns the text for an error: in the language of the page, or else that of the service. */
export function describeError(error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error);
  return texts().errors[error.status === 0 ? 'connection' : String(error.code)] ?? error.message;
}

/** Returns the text for an entry of a problem. */
export function describeProblem({ code, message }: { code: number; message: string }): string {
  return texts().errors[String(code)] ?? message;
}

/**
 * Returns the error for a reply with an error status to a request of a session. Tells the listener if that has ended, unless
 * somebody has signed in since then.
 */
export function createRequestError(status: number, text: string, session: number, retryAfterMs = 0): RequestError {
  if (status === 401 && userId !== '' && session === sessionCount) onSessionEnded();
  try {
    const [entry] = (JSON.parse(text) as Problem).errors;
    if (entry) return new RequestError(status, entry.code, entry.message, retryAfterMs);
  } catch {
    // A proxy replied instead of the service.
  }
  return new RequestError(status, 0, `HTTP ${status}`, retryAfterMs);
}

/** How a request is sent. */
export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: object;
  /** A request with the same key takes effect once. */
  key?: string;
  /** Default: 30 s. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

async function send(path: string, options: RequestOptions): Promise<Response> {
  const { method = 'GET', body, key, timeoutMs = TIMEOUT_MS } = options;
  const headers: Record<string, string> = commonHeaders();
  if (body) headers['Content-Type'] = 'application/json';
  if (key !== undefined) headers['Idempotency-Key'] = key;
  const init: RequestInit = { method, headers, cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) };
  if (body) init.body = JSON.stringify(body);
  const session = currentSession();
  const response = await fetch(path, init).catch((error: unknown) => {
    throw new RequestError(0, 0, String(error));
  });
  if (response.ok) return response;
  const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0; // a date is not followed
  throw createRequestError(response.status, await response.text().catch(() => ''), session, retryAfterMs);
}

/** Requests JSON of the service; paths are relative to the page. Throws `RequestError`. */
export async function requestJson<Reply>(path: string, options: RequestOptions = {}): Promise<Reply> {
  const response = await send(path, options);
  const text = await response.text().catch(() => {
    throw new RequestError(0, 0, 'The reply was cut.');
  });
  return (text === '' ? undefined : JSON.parse(text)) as Reply; // the service and the page are of the same version
}

/** Requests the bytes of a file. Throws `RequestError`. */
export async function requestBytes(path: string): Promise<Uint8Array> {
  const response = await send(path, {});
  const buffer = await response.arrayBuffer().catch(() => {
    throw new RequestError(0, 0, 'The reply was cut.');
  });
  return new Uint8Array(buffer);
}

/** Returns the path of a stored file. */
export function filePath(fileId: string): string {
  return `web-api/operation/file/${fileId}`;
}

/** Returns a random key for a request that may be repeated. Also works on plain HTTP, without `randomUUID`. */
export function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
