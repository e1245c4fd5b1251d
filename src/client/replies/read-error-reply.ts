import type { ErrorCode } from '../client-error.js';
import type { ClientLimits } from '../client-limits.js';
import { AttemptFailure, type FailureKind } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';
import { readProblemEntry } from './read-replies.js';
import { parseReplyJson, readReplyText } from './reply-body.js';
import { readRetryAfterMs } from './retry-after.js';

const MAX_QUOTE_LENGTH = 500;

/**
 * Returns the failure for a reply whose status is not a success: its kind, its error code, and the message of the
 * service if the body has one. Redirects are not followed; their failure names the host that they point to.
 */
export async function readErrorReply(reply: Reply, limits: ClientLimits): Promise<AttemptFailure> {
  const { status, headers } = reply;
  if (status >= 300 && status < 400) {
    const target = findRedirectHost(headers.location);
    const detail = `the service returned ${status}, a redirect to ${target}; redirects are not followed`;
    return new AttemptFailure('final', 'BAD_REPLY', detail, { statusCode: status });
  }
  const { reason, number } = await readReason(reply, limits.maxReplyBytes);
  const { kind, code } = classifyStatus(status, number);
  return new AttemptFailure(kind, code, `the service returned ${status}${reason ? `: ${reason}` : ''}`, {
    statusCode: status,
    retryAfterMs: readRetryAfterMs(headers['retry-after'], headers.date, limits.retryAfterMaxMs),
  });
}

/** Error numbers of a full queue: of one user (429), or of the service (503). */
const QUEUE_FULL_NUMBERS: readonly number[] = [42901, 50302];

/**
 * Returns the kind and the error code for a status outside 3xx that the call does not accept. `number`: the error
 * number of the service, 0 if there is none.
 */
function classifyStatus(status: number, number: number): { kind: FailureKind; code: ErrorCode } {
  if (Math.floor(number / 100) === status && QUEUE_FULL_NUMBERS.includes(number))
    return { kind: 'throttled', code: 'QUEUE_FULL' };
  if (status === 401) return { kind: 'unauthorized', code: 'BAD_CREDENTIALS' };
  if (status === 404 || status === 410) return { kind: 'final', code: 'NOT_FOUND' };
  if (status === 408) return { kind: 'server', code: 'TIMEOUT' };
  if (status === 429) return { kind: 'throttled', code: 'RATE_LIMITED' };
  if (status === 503) return { kind: 'throttled', code: 'REFUSED' };
  if (status === 502 || status === 504) return { kind: 'gateway', code: 'REFUSED' };
  if (status === 507) return { kind: 'final', code: 'DISK_FULL' };
  if (status >= 500) return { kind: 'server', code: 'REFUSED' };
  if (status >= 400) return { kind: 'final', code: 'REFUSED' };
  return { kind: 'garbled', code: 'BAD_REPLY' };
}

/**
 * Returns message and number of `errors[0]` of the API, or `error` and `error_description` of the token endpoint (RFC
 * 6749, section 5.2). Returns an empty string and 0 for any other body.
 */
async function readReason(reply: Reply, maxBytes: number): Promise<{ reason: string; number: number }> {
  try {
    const body = parseReplyJson(await readReplyText(reply, maxBytes));
    if (typeof body !== 'object' || body === null) return NO_REASON;
    const { errors, error, error_description: description } = body as Record<string, unknown>;
    const entry = Array.isArray(errors) ? readProblemEntry(errors[0]) : undefined;
    if (entry) return { reason: truncate(entry.message), number: entry.code };
    return {
      ...NO_REASON,
      reason: truncate([error, description].filter((part) => typeof part === 'string').join(', ')),
    };
  } catch {
    // The status is sufficient to classify the failure, so a truncated or malformed body is ignored.
    return NO_REASON;
  }
}

const NO_REASON = { reason: '', number: 0 };

/** Returns a text of the service on one line, without control characters, shortened to 500 characters. */
export function truncate(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > MAX_QUOTE_LENGTH ? `${line.slice(0, MAX_QUOTE_LENGTH - 1)}…` : line;
}

/** Returns the host of a Location header, without the rest of the URL, which may contain secrets. */
function findRedirectHost(location: string | undefined): string {
  return location && URL.canParse(location) ? new URL(location).host || 'a URL without a host' : 'an unknown location';
}
