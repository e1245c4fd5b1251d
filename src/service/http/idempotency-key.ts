import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Limits } from '../defaults.js';
import type { RetentionClock } from '../retention-clock.js';
import { ServiceError } from '../service-error.js';
import type { IdempotencyKeys, KeyClaim, RequestKey } from '../store/idempotency-keys.js';
import type { IdempotencyKeyRow } from '../store/schema.js';

/** The dependencies of requests that may be repeated. */
export interface KeyDependencies {
  keys: IdempotencyKeys;
  limits: Pick<Limits, 'idempotencyKeyMs'>;
  clock: Pick<RetentionClock, 'now'>;
}

/** 1 to 255 visible ASCII characters: a string (RFC 9651, section 3.3.3), or as they are. */
const KEY = /^(?:"((?:[!#-[\]-~]|\\["\\]){1,255})"|([!#-~][!-~]{0,254}))$/;

/**
 * Returns the key of a request in its Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header-07, section 2.1),
 * `undefined` if it has none. Throws `FIELD_INVALID`.
 */
export function readRequestKey(request: FastifyRequest, route: string): RequestKey | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const [, quoted, bare] = KEY.exec(String(header)) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? bare;
  if (key === undefined) {
    const expected = '1 to 255 visible ASCII characters, which may be in double quotes';
    throw new ServiceError('FIELD_INVALID', `Invalid header Idempotency-Key: expected ${expected}.`);
  }
  return { owner: request.userId, route, key };
}

/** Returns a text that is equal for requests with equal content, which can be serialized as JSON. */
export function createFingerprint(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Returns the claim with which the row of a request is inserted. */
export function createClaim(key: RequestKey, fingerprint: string, dependencies: KeyDependencies): KeyClaim {
  const createdAt = dependencies.clock.now();
  return {
    ...key,
    fingerprint,
    created_at: createdAt,
    expiredBefore: createdAt - dependencies.limits.idempotencyKeyMs,
  };
}

/** Finds the earlier request with the same key. */
export async function findEarlier(
  key: RequestKey | undefined,
  { keys, limits, clock }: KeyDependencies,
): Promise<IdempotencyKeyRow | undefined> {
  return key && keys.find(key, clock.now() - limits.idempotencyKeyMs);
}

/** Returns the id of the file or operation of the earlier request. Throws `KEY_REUSED` if it had other content. */
export function requireSameContent(earlier: IdempotencyKeyRow, fingerprint: string): string {
  if (earlier.fingerprint === fingerprint) return earlier.resource_id;
  throw new ServiceError(
    'KEY_REUSED',
    'Idempotency-Key used before: an earlier request with this key had other content. Send a new key.',
  );
}
