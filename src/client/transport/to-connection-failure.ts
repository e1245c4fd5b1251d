import { ClientError } from '../client-error.js';
import { AttemptFailure } from './attempt-failure.js';

/** System error code → reason, to be followed by the host. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused by',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'DNS lookup failed for',
  EHOSTUNREACH: 'no route to',
  ENETUNREACH: 'no route to',
};

/** TLS error code → reason. */
const TLS_REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate authority is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate authority is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate authority is not trusted',
  EPROTO: 'the port does not support TLS',
};

/** The codes of failed handshakes, for which a retry fails in the same way. EPROTO: the port replied without TLS. */
const TLS_CODE = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_|INVALID_CA|PATH_LENGTH)/;

/**
 * Converts an error that Node.js or axios threw during a request to an `AttemptFailure`. Keeps only its code: the
 * message and other fields may contain headers or bodies. Returns failures and errors of the client unchanged.
 */
export function toConnectionFailure(
  error: unknown,
  stage: { isConnected: boolean; isUnsent: boolean; isReused: boolean; hasReply: boolean },
  url: URL,
): AttemptFailure | ClientError | TypeError {
  if (error instanceof AttemptFailure || error instanceof ClientError || error instanceof TypeError) return error;
  // axios wraps errors of the body and of the socket.
  if (error instanceof Error && error.cause instanceof AttemptFailure) return error.cause;
  const code = readCode(error);
  if (TLS_CODE.test(code)) {
    const reason = TLS_REASONS[code] ? `: ${TLS_REASONS[code]}` : '';
    return new AttemptFailure('final', 'CONNECTION_FAILED', `no secure connection to ${url.host}${reason} (${code})`);
  }
  if (code.startsWith('HPE_')) {
    return new AttemptFailure('garbled', 'BAD_REPLY', `${url.host} sent malformed HTTP (${code})`);
  }
  if (!stage.isConnected) {
    return new AttemptFailure(
      'unsent',
      'CONNECTION_FAILED',
      `${REASONS[code] ?? 'no connection to'} ${url.host} (${code})`,
    );
  }
  const isStale = stage.isReused && !stage.hasReply;
  const kind = isStale ? 'stale' : stage.isUnsent ? 'unsent' : 'lost';
  return new AttemptFailure(kind, 'CONNECTION_FAILED', `the connection to ${url.host} was lost (${code})`);
}

/**
 * Returns the code of a system error or of its cause, `unknown` if it has none. If several addresses of a host failed,
 * returns the code of the first.
 */
function readCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if (error instanceof AggregateError && !('code' in error && error.code)) return readCode(error.errors[0]);
  if ('code' in error && typeof error.code === 'string' && /^[A-Z0-9_]+$/.test(error.code)) return error.code;
  return 'cause' in error ? readCode(error.cause) : 'unknown';
}
