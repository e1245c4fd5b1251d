import { ClientError } from '../client-error.js';
import { AttemptFailure } from './attempt-failure.js';

/** What stands before the host that could not be reached. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at',
  ENOTFOUND: 'there is no host of the name',
  EAI_AGAIN: 'the name could not be looked up:',
  EHOSTUNREACH: 'there is no way to',
  ENETUNREACH: 'there is no way to',
};

const TLS_REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'the authority of its certificate is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of its certificate is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the authority of its certificate is not known here',
  EPROTO: 'the port does not speak TLS',
};

/** Certificates and handshakes: another try ends the same. EPROTO is what a plain port answers to a handshake. */
const TLS_CODE = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_|INVALID_CA|PATH_LENGTH)/;

/**
 * Reads what Node or axios threw during a request into our own failure. Takes its code alone: messages and other fields may
 * hold headers and bodies. Failures and errors of ours pass unchanged.
 */
export function toConnectionFailure(
  error: unknown,
  stage: { isConnected: boolean; isUnsent: boolean; isReused: boolean; hasReply: boolean },
  url: URL,
): AttemptFailure | ClientError | TypeError {
  if (error instanceof AttemptFailure || error instanceof ClientError || error instanceof TypeError) return error;
  // axios wraps what it did not make itself.
  if (error instanceof Error && error.cause instanceof AttemptFailure) return error.cause;
  const code = readCode(error);
  if (TLS_CODE.test(code)) {
    const why = TLS_REASONS[code] ? `: ${TLS_REASONS[code]}` : '';
    return new AttemptFailure('final', 'CONNECTION_FAILED', `no secure connection to ${url.host}${why} (${code})`);
  }
  if (code.startsWith('HPE_')) {
    return new AttemptFailure('garbled', 'BAD_REPLY', `${url.host} answered with malformed HTTP (${code})`);
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
  return new AttemptFailure(kind, 'CONNECTION_FAILED', `the connection to ${url.host} broke off (${code})`);
}

/** The code of a system error, also of one that stands behind several addresses tried in turn. */
function readCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  if (error instanceof AggregateError && !('code' in error && error.code)) return readCode(error.errors[0]);
  if ('code' in error && typeof error.code === 'string' && /^[A-Z0-9_]+$/.test(error.code)) return error.code;
  return 'cause' in error ? readCode(error.cause) : 'unknown';
}
