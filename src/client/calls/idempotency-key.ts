import { randomUUID } from 'node:crypto';
import type { CallSpec } from './session.js';

/** The idempotency key of calls of which the service performs one. Their attempts update it. */
export interface IdempotencyKey {
  value: string;
  /** Identifies the content that was sent with this value. Undefined: it cannot change. */
  version: string | undefined;
}

/** Creates a key that was not used before. */
export function createIdempotencyKey(): IdempotencyKey {
  return { value: randomUUID(), version: undefined };
}

/**
 * Returns a call with its idempotency key, or with a new one (draft-ietf-httpapi-idempotency-key-header), the same in
 * all of its attempts, unless the content of its body changed: a service refuses a known key with another body. The
 * service performs such a call once, so it can be repeated if its reply was lost.
 */
export function addIdempotencyKey<T>(spec: CallSpec<T>): CallSpec<T> {
  const key = spec.idempotencyKey ?? createIdempotencyKey();
  return {
    ...spec,
    isIdempotent: true,
    prepare: async () => {
      const request = await spec.prepare();
      if (key.version !== undefined && request.version !== key.version) key.value = randomUUID();
      key.version = request.version;
      return { ...request, headers: { ...request.headers, 'Idempotency-Key': `"${key.value}"` } };
    },
  };
}
