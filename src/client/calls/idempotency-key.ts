import { randomUUID } from 'node:crypto';
import type { CallSpec } from './session.js';

/**
 * Returns a call with a new idempotency key (draft-ietf-httpapi-idempotency-key-header), the same in all of its
 * attempts. The service performs such a call once, so it can be repeated if its reply was lost.
 */
export function addIdempotencyKey<T>(spec: CallSpec<T>): CallSpec<T> {
  const key = `"${randomUUID()}"`;
  return {
    ...spec,
    isIdempotent: true,
    prepare: async () => {
      const request = await spec.prepare();
      return { ...request, headers: { ...request.headers, 'Idempotency-Key': key } };
    },
  };
}
